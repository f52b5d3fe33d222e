//! What the chain tests share: a hermetic place to run the tools in.
