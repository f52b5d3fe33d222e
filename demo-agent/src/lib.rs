//! demo-agent
