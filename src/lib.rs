//! proofmark (under construction)
pub mod adapter;
pub mod case;
pub mod contract;
pub mod embedded;
pub mod json;
pub mod judge;
pub mod policy;
pub mod reference;
pub mod schema;
pub mod verdict;
pub mod yaml;
