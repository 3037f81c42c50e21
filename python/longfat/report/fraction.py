"""What a fractional design cannot tell apart, as text and as JSON."""

from typing import Any

from longfat.aliases import alias_chains, defining_relation, named, resolution
from longfat.study import Study


def fraction_document(study: Study) -> dict[str, Any] | None:
    """Size, resolution, defining relation and aliases; None for a design that is no fraction.

    Aliases are chains of effects of one or two factors with the same column of signs.
    """
    generators = study.design.generators
    if study.design.kind != "fractional":
        return None
    names = [factor.name for factor in study.factors]
    relation = defining_relation(generators)
    return {
        "factors": len(names),
        "generated": len(generators),
        "resolution": resolution(relation),
        "defining_relation": [named(word, names) for word in relation],
        "aliases": [
            [named(effect, names) for effect in chain] for chain in alias_chains(names, relation)
        ],
    }


def fraction_lines(document: dict[str, Any]) -> list[str]:
    """A fraction's document in words."""
    size = f"2^({document['factors']}-{document['generated']})"
    return [
        f"design: {size} of resolution {document['resolution']}",
        f"defining relation: {' = '.join(['I', *document['defining_relation']])}",
        "effects of one or two factors that cannot be told apart:",
        *(f"  {' = '.join(chain)}" for chain in document["aliases"] if len(chain) > 1),
    ]
