//! overflow-detect
