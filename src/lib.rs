//! proofmark (under construction)
pub mod adapter;
pub mod contract;
pub mod embedded;
pub mod json;
pub mod reference;
pub mod verdict;
pub mod yaml;
