//! Many simulations that wait for decisions, and go on together.

use longfat_engine::transport::control::guarded;

use crate::{Episode, Interval};

/// Episodes, each in its place.
pub struct Episodes {
    places: Vec<Option<Episode>>,
    threads: usize,
}

impl Episodes {
    /// So many places, on so many threads at most.
    #[must_use]
    pub fn new(places: usize, threads: usize) -> Self {
        Self { places: (0..places).map(|_| None).collect(), threads: threads.max(1) }
    }

    /// Puts an episode in its place, and gives the one that was there.
    pub fn put(&mut self, place: usize, episode: Episode) -> Option<Episode> {
        self.places[place].replace(episode)
    }

    /// Takes an episode from its place.
    pub fn take(&mut self, place: usize) -> Option<Episode> {
        self.places[place].take()
    }

    /// The episode in that place.
    pub fn at(&mut self, place: usize) -> Option<&mut Episode> {
        self.places[place].as_mut()
    }

    /// Carries out the decisions for all agents of the episodes that are `chosen`, and lets an interval of each pass; what they have come to
    /// know, one after the other.
    ///
    /// # Errors
    /// If a simulation fails: its place and why.
    pub fn step(&mut self, chosen: &[usize], decisions: &[f64]) -> Result<Vec<Interval>, (usize, String)> {
        let mut rest = decisions;
        let mut moves: Vec<(usize, &mut Episode, &[f64])> = Vec::with_capacity(chosen.len());
        for (place, episode) in self.places.iter_mut().enumerate() {
            let Some(episode) = episode.as_mut().filter(|_| chosen.contains(&place)) else { continue };
            let (own, others) = rest.split_at(episode.agents());
            moves.push((place, episode, own));
            rest = others;
        }
        let share = moves.len().div_ceil(self.threads).max(1);
        if moves.len() <= share {
            return step_all(&mut moves);
        }
        std::thread::scope(|scope| {
            let shares: Vec<_> = moves.chunks_mut(share).map(|part| scope.spawn(|| step_all(part))).collect();
            let mut seen = Vec::with_capacity(decisions.len());
            for part in shares {
                seen.extend(part.join().expect("failures are caught")?);
            }
            Ok(seen)
        })
    }
}

fn step_all(moves: &mut [(usize, &mut Episode, &[f64])]) -> Result<Vec<Interval>, (usize, String)> {
    let mut seen = Vec::new();
    for (place, episode, decisions) in moves {
        guarded(|| episode.step(decisions)).map_err(|why| (*place, why))?;
        seen.extend(episode.observe());
    }
    Ok(seen)
}
