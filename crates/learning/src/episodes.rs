//! Many simulations that wait for decisions and advance together.

use longfat_engine::transport::control::guarded;

use crate::{Episode, Interval};

/// Episodes by place.
pub struct Episodes {
    places: Vec<Option<Episode>>,
    threads: usize,
}

impl Episodes {
    /// Creates `places` places, and uses at most `threads` threads.
    #[must_use]
    pub fn new(places: usize, threads: usize) -> Self {
        Self { places: (0..places).map(|_| None).collect(), threads: threads.max(1) }
    }

    /// Sets the episode of a place; returns the previous one.
    pub fn put(&mut self, place: usize, episode: Episode) -> Option<Episode> {
        self.places[place].replace(episode)
    }

    /// Removes the episode of a place.
    pub fn take(&mut self, place: usize) -> Option<Episode> {
        self.places[place].take()
    }

    /// The episode of a place.
    pub fn at(&mut self, place: usize) -> Option<&mut Episode> {
        self.places[place].as_mut()
    }

    /// Carries out the decisions for all agents of the `chosen` episodes and simulates an interval of each; returns the observations in
    /// order.
    ///
    /// # Errors
    /// If a simulation fails: its place and the message.
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
