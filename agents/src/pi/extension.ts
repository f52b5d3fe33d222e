/**
 * Behind ask.js, loaded into pi for one run of agent-run, which appends the run's orders:
 *
 * - guard: the command, for a shell, that is asked at pi's events, in Claude Code's
 *   dialect; none where it is neither to stop the run nor to deny tools;
 * - compaction: whether pi may compact the session.
 */
type Orders = { guard?: { command: string; stops: boolean; denies: boolean }; compaction: boolean };

/** What an event of pi's is to the guard. */
const told = (event: string, ctx: any, more: object) => ({
	hook_event_name: event,
	// pi chooses the id of a new session, and the guard acts on the one it was told.
	// This is the run that it was told of: no other process loads this file.
	session_id: process.env.CTX_GUARD_SESSION,
	transcript_path: ctx.sessionManager.getSessionFile(),
	cwd: ctx.cwd,
	...more,
});

/** The ids of the tool calls whose results the next request brings; none in front of a prompt. */
function answered(messages: any[]): string[] {
	const since = messages.slice(messages.findLastIndex((message) => message.role === "assistant") + 1);
	if (since.some((message) => message.role === "user")) return [];
	return since.filter((message) => message.role === "toolResult").map((message) => message.toolCallId);
}

function drive(pi: any, { guard, compaction }: Orders) {
	// By itself pi dies of it at once, and the commands of its shell tool live on.
	process.once("SIGINT", () => process.kill(process.pid, "SIGTERM"));

	if (!compaction) pi.on("session_before_compact", () => ({ cancel: true }));

	if (guard?.stops) {
		let reason: string | undefined;
		// pi waits for this one, in front of each request. Aborted here, the request is not
		// made: the session ends with the results of the tools and an answer that is empty.
		pi.on("context", async (event: any, ctx: any) => {
			const ids = answered(event.messages);
			if (ids.length === 0) return;
			const tool_calls = ids.map((tool_use_id) => ({ tool_use_id }));
			const answer = await ask(guard.command, told("PostToolBatch", ctx, { tool_calls }));
			if (answer.continue !== false) return;
			reason = `ctx-guard: ${answer.stopReason}`;
			ctx.abort();
		});
		// Told apart from what anybody else aborts.
		pi.on("message_end", ({ message }: any) => {
			if (reason && message.role === "assistant" && message.stopReason === "aborted")
				return { message: { ...message, errorMessage: reason } };
		});
	}

	if (guard?.denies) {
		pi.on("tool_call", async ({ toolName, input }: any, ctx: any) => {
			const more = { tool_name: toolName, tool_input: input };
			const { hookSpecificOutput: said } = await ask(guard.command, told("PreToolUse", ctx, more));
			if (said?.permissionDecision === "deny")
				return { block: true, reason: said.permissionDecisionReason };
		});
	}
}

