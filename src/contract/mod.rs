//! What the documents of the three contracts are: names, vocabularies and types, one module per contract.

pub mod activation;
pub mod lifecycle;
pub mod packet;
pub mod refusal;
pub mod rendering;
pub mod skill_file;
