//! Who is told what a run comes to, while it goes on.

use proofmark::adapter::Declaration;
use proofmark::judge::{CaseResult, Exchanged, Finding};

/// Told about everything that a report is made of, in the order in which it happens.
pub trait Observer {
    /// The implementation has declared itself.
    ///
    /// # Errors
    /// Why the run is not to go on with it, in words; it becomes a fault of the run.
    fn declared(&mut self, declaration: &Declaration) -> Result<(), String> {
        let _ = declaration;
        Ok(())
    }

    /// A case is finished. The exchange is there where it is to be repeated at the end.
    fn settled(&mut self, result: &CaseResult, exchange: Option<&Exchanged>) {
        let _ = (result, exchange);
    }

    /// The request of a case was asked again, and this is what that found.
    fn repeated(&mut self, case: &str, findings: &[Finding]) {
        let _ = (case, findings);
    }

    /// The adapter did something that no case stands for.
    fn fault(&mut self, fault: &str) {
        let _ = fault;
    }

    /// Whether no further case is to be started.
    fn has_enough(&self) -> bool {
        false
    }
}

/// Nobody is told.
impl Observer for () {}
