//! Lists of models, such as losses: mistakes are told with their place in the list.

use longfat_engine::scenario::Scenario;

use super::{SOUND, complaints, complaints_with};

#[test]
fn losses_that_cannot_be_are_refused_where_they_are_listed() {
    let finite = ("traffic", "{ kind = 'finite', size = '10 kB' }");
    let list = |drops: &str| complaints_with(&[finite, ("loss.kind", "list"), ("loss.drops", drops)]);
    for (drops, message) in [
        ("3", "loss.drops: expected a list for each flow, such as [[14, 28], [3]], found the number 3"),
        ("[0]", "loss.drops[0]: expected numbers of packets, from 1, ascending, each once, found the number 0"),
        (
            "[[1], [3, 3]]",
            "loss.drops[1][1]: expected numbers of packets, from 1, ascending, each once, found 3 after 3",
        ),
        ("[[5, 4]]", "loss.drops[0][1]: expected numbers of packets, from 1, ascending, each once, found 4 after 5"),
        ("[[1], 2]", "loss.drops[1]: expected a list for this flow, found the number 2"),
        ("[[1], [2], [3]]", "loss.drops: lists for 3 flows; the topology has 2"),
        ("[21]", "loss.drops: flow 1: packet 21 may never come; 20 segments of 512 B make 20"),
        ("[[], [7, 9, 23]]", "flow 2: packet 23 may never come; 20 segments of 512 B, and 2 of them again, make 22"),
        // 10 ms at 155.52 Mbit/s are 3667.9 cells; the smallest packet of data takes two.
        ("[1835]", "loss.drops: flow 1: packet 1835 never comes; the line brings at most 1834 in 10 ms"),
    ] {
        let problems = list(drops);
        assert!(problems.len() == 1 && problems[0].contains(message), "{problems:?} does not say {message}");
    }
    // Each loss causes one retransmission, which arrives too.
    let good = [finite, ("loss", "{ kind = 'list', drops = [[20, 21, 22], [1]] }")];
    let owned: Vec<_> = good.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect();
    assert!(Scenario::parse(SOUND.as_bytes(), "sound.toml", &owned).is_ok());
    for (probability, found) in [("1.01", "1.01"), ("-0.1", "-0.1"), ("2", "2"), ("nan", "NaN")] {
        let problems = complaints_with(&[("loss.kind", "random"), ("loss.probability", probability)]);
        let expected = format!("loss.probability: expected a number from 0 to 1, found the number {found}");
        assert!(problems.len() == 1 && problems[0].contains(&expected), "{problems:?} does not say {expected}");
    }
    let problems = complaints_with(&[("traffic.kind", "messages"), ("traffic.count", "0")]);
    assert!(
        problems.iter().any(|problem| problem.contains("at least 1, or \"unlimited\", found the number 0")),
        "{problems:?}"
    );
}

#[test]
fn a_mistake_in_a_list_of_models_is_told_with_its_place_in_the_list() {
    let text = SOUND.to_owned()
        + "[[background]]\nkind = \"poisson\"\nload = 0.5\n\n[[background]]\nkind = \"poisson\"\nload = 0\nsise = \"48 B\"\n";
    let problems = complaints(text.as_bytes(), "list.toml");
    let expected = [
        "list.toml:13:1: background[1].sise: unknown key; did you mean \"size\"?",
        "list.toml:12:8: background[1].load: expected a number above 0, found the number 0",
    ];
    assert_eq!(problems.len(), 2, "{problems:#?}");
    for expected in expected {
        assert!(problems.iter().any(|problem| problem == expected), "{expected} is not among {problems:#?}");
    }
    // Errors that only the whole scenario shows are reported at the same position.
    let text = SOUND.to_owned() + "[[background]]\nkind = \"poisson\"\nload = 0.5\nsize = \"70 kB\"\n";
    let expected = "list.toml:9:8: background[0].size: 70000 B is no datagram; at most 65535 B";
    assert_eq!(complaints(text.as_bytes(), "list.toml"), [expected]);
    let problems = complaints_with(&[("background", "[{ kind = 'poison', load = 0.5 }]")]);
    assert!(
        problems.len() == 1 && problems[0].contains("background[0]: unknown background \"poison\""),
        "{problems:?}"
    );
}

#[test]
fn an_override_may_reach_into_a_list_of_models() {
    let list = "[{ kind = 'poisson', load = 0.5 }, { kind = 'poisson', load = 0.2 }]";
    let owned = |changes: &[(&str, &str)]| -> Vec<(String, String)> {
        changes.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect()
    };
    let changed = owned(&[("background", list), ("background[1].load", "3 Mbit/s")]);
    let scenario = Scenario::parse(SOUND.as_bytes(), "sound.toml", &changed).unwrap_or_else(|p| panic!("{p:?}"));
    assert!(scenario.canonical().contains(
        r#""background":[{"kind":"poisson","load":0.5,"size_bytes":48},{"kind":"poisson","load":"3000000 bit/s","size_bytes":48}]"#
    ));
    let problems = complaints_with(&[("background", list), ("background[1].load", "-1")]);
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].starts_with("--set background[1].load=-1: background[1].load: expected a number above 0"),
        "{problems:?}"
    );
    for path in ["background[2].load", "background[x].load", "background.load"] {
        assert!(!complaints_with(&[("background", list), (path, "0.1")]).is_empty(), "{path}");
    }
}

#[test]
fn an_item_of_a_list_may_be_named_with_a_dot_and_is_counted_from_0() {
    let set = |path: &str| {
        let text = format!("{SOUND}connections = [{{ count = 1 }}]\n");
        Scenario::parse(text.as_bytes(), "list.toml", &[(path.into(), "1 ms".into())])
    };
    for place in [0, 1] {
        let (dot, brackets) =
            (format!("connections.{place}.access_delay"), format!("connections[{place}].access_delay"));
        let [dot, brackets] = [dot, brackets].map(|path| set(&path).expect("one of a list of 1, or the next"));
        assert_eq!(dot.canonical(), brackets.canonical());
    }
    let problems = set("connections.2.access_delay").expect_err("there is one");
    let told = "--set connections.2.access_delay=1 ms: there is no connections[2]; the list has length 1, and [1] appends an item";
    assert_eq!(problems, [told]);
}
