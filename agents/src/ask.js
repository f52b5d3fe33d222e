/**
 * What the extension of pi and the plugin of OpenCode share: they ask a guard, a command
 * for a shell, in Claude Code's dialect. What goes wrong while asking is consent.
 */
import { execFile } from "node:child_process";

/** The guard's answer to a payload; nothing is consent. */
const ask = (command, payload) =>
	new Promise((resolve) => {
		const guard = execFile("/bin/sh", ["-c", command], { timeout: 5000 }, (_, answer, trouble) => {
			process.stderr.write(trouble);
			try {
				resolve(JSON.parse(answer) ?? {});
			} catch {
				resolve({});
			}
		});
		guard.stdin.on("error", () => {});
		guard.stdin.end(JSON.stringify(payload));
	});

