/**
 * Behind ask.js, loaded into OpenCode for the turn of agent-run in which a session writes its
 * document: each tool is asked for at the guard, in Claude Code's dialect, and what it
 * refuses the model reads as the tool's error. A sub-agent acts under a session id of its
 * own.
 */
const guardedBy = (command) => async () => ({
  "tool.execute.before": async (input, output) => {
    const { hookSpecificOutput: said } = await ask(command, {
      hook_event_name: "PreToolUse",
      session_id: input.sessionID,
      tool_name: input.tool,
      tool_input: output.args,
    })
    if (said?.permissionDecision === "deny") throw new Error(said.permissionDecisionReason)
  },
})

