/**
 * Loaded into OpenCode for the turn of agent-run in which a session writes its
 * document: each tool is asked for at the guard, in Claude Code's dialect, and what it
 * refuses the model reads as the tool's error. A sub-agent acts under a session id of its
 * own. What goes wrong while asking lets the tool be used.
 */
import { execFile } from "node:child_process"

const ask = (command, payload) =>
  new Promise((resolve) => {
    const guard = execFile("/bin/sh", ["-c", command], { timeout: 5000 }, (_, answer, trouble) => {
      process.stderr.write(trouble)
      try {
        resolve(JSON.parse(answer) ?? {})
      } catch {
        resolve({})
      }
    })
    guard.stdin.on("error", () => {})
    guard.stdin.end(JSON.stringify(payload))
  })

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

