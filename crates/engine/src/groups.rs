//! A small multimap from integers to indexes: sorted once, searched by bisection, without an allocation per key.

/// Indexes grouped by a 64-bit key. Inside a group they keep the order in which they were given.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    keys: Vec<u64>,
    values: Vec<u32>,
}

impl Groups {
    /// Groups the values of `pairs`.
    pub fn new(pairs: impl Iterator<Item = (u64, u32)>) -> Self {
        let mut pairs: Vec<(u64, u32)> = pairs.collect();
        pairs.sort_by_key(|p| p.0);
        Groups {
            keys: pairs.iter().map(|p| p.0).collect(),
            values: pairs.iter().map(|p| p.1).collect(),
        }
    }

    /// The values of a key.
    pub fn get(&self, key: u64) -> &[u32] {
        let from = self.keys.partition_point(|&k| k < key);
        let rest = &self.keys[from..];
        // Most groups are small; of a large one the end is found by bisection.
        let few = rest.iter().take(8).take_while(|&&k| k == key).count();
        let len = if few < 8 {
            few
        } else {
            rest.partition_point(|&k| k == key)
        };
        &self.values[from..from + len]
    }

    /// The values of all keys in `from..to`, by key.
    pub fn range(&self, from: u64, to: u64) -> &[u32] {
        let a = self.keys.partition_point(|&k| k < from);
        let b = self.keys.partition_point(|&k| k < to);
        &self.values[a..b.max(a)]
    }
}

/// One key of two parts; keys with the same first part are neighbours.
pub fn pair(a: u32, b: u32) -> u64 {
    (u64::from(a) << 32) | u64::from(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_by_key_in_the_order_given() {
        let groups = Groups::new([(pair(1, 5), 9), (pair(0, 2), 4), (pair(1, 5), 3), (pair(1, 6), 7)].into_iter());
        assert_eq!(groups.get(pair(1, 5)), [9, 3]);
        assert_eq!(groups.get(pair(0, 2)), [4]);
        assert!(groups.get(pair(0, 3)).is_empty());
        assert_eq!(groups.range(pair(1, 0), pair(2, 0)), [9, 3, 7]);
    }
}
