// Tells voice-input which conversation this Pi shows.
//
// Pi keeps no session file open and moves its leaf without writing a line, so
// nobody outside can tell which answer is on the screen. This extension writes
// where the conversation lies, and nothing of what is said in it, to
//
//     $XDG_RUNTIME_DIR/voice-input/agent-sessions/pi-<pid>.json
//
// The members are those of voice-input's docs/pi-registry.md. Everything here
// is best effort: it never throws into Pi, prints nothing, and does not keep
// Pi from ending.

import { randomUUID } from "node:crypto";
import { readFileSync, unlinkSync } from "node:fs";
import fs from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const SCHEMA = "vi.pi-session/1";

/** How often to look for a leaf that moved without an event, in milliseconds. */
const HEARTBEAT = 5_000;

/** How long a shutdown waits for a disk that does not answer, in milliseconds. */
const PATIENCE = 2_000;

/** After these the entry that ended a step is in the session's branch. */
const EVENTS = ["turn_end", "agent_end", "agent_settled", "session_tree", "session_compact", "session_info_changed"];

/**
 * What all copies of this module in one process share: Pi may load the module
 * anew for every session, and an extension may run a second session inside the
 * first one's process.
 *
 * owner is the instance whose session is on the screen, queue the end of the
 * one chain that all changes of the file go through.
 */
const shared = (globalThis[Symbol.for("voice-input.pi-session/1")] ??= { owner: undefined, queue: Promise.resolve() });

function enqueue(change) {
	shared.queue = shared.queue.then(change).catch(() => {});
	return shared.queue;
}

/** Pi calls this for every session: at the start, and for /new, /resume, /fork and /reload. */
export default function (pi) {
	const runtimeDir = process.env.XDG_RUNTIME_DIR;
	if (!runtimeDir || !isAbsolute(runtimeDir)) return;
	const publisher = new Publisher(runtimeDir);
	pi.on("session_start", (_event, ctx) => publisher.start(ctx));
	for (const event of EVENTS) pi.on(event, (_event, ctx) => publisher.publish(ctx));
	pi.on("session_shutdown", () => publisher.stop());
}

/** Publishes one session, from its start to its shutdown. */
class Publisher {
	/** Names this publisher in the file. */
	generation = randomUUID();
	/** False after the shutdown: what is still in the queue must not be written. */
	valid = true;
	timer;
	/** What the next change in the queue will write; undefined if none waits. */
	waiting;

	constructor(runtimeDir) {
		this.parent = join(runtimeDir, "voice-input");
		this.dir = join(this.parent, "agent-sessions");
		this.file = join(this.dir, `pi-${process.pid}.json`);
		this.temporary = join(this.dir, `.pi-${process.pid}.json.new`);
	}

	/** The first session on the screen owns the file until its shutdown; one that runs inside it never does. */
	start(ctx) {
		if (!this.valid || ctx?.mode !== "tui") return;
		shared.owner ??= this;
		if (shared.owner !== this) return;
		this.release();
		this.timer = setInterval(() => this.publish(this.ctx), HEARTBEAT);
		this.timer.unref();
		process.on("exit", this.exit);
		this.publish(ctx);
	}

	/** Takes the session's state now and writes it in its turn. */
	publish(ctx) {
		if (!this.valid || shared.owner !== this) return;
		let record;
		try {
			this.ctx = ctx;
			record = this.snapshot(ctx);
		} catch {
			return; // Pi has replaced the session: its context must not be used any more
		}
		// At most one change waits, and it writes the newest state.
		const queued = this.waiting !== undefined;
		this.waiting = record;
		if (queued) return;
		enqueue(async () => {
			const newest = this.waiting;
			this.waiting = undefined;
			await (newest.session_file === undefined ? this.remove() : this.write(newest));
		});
	}

	snapshot({ mode, sessionManager: session }) {
		const file = session.getSessionFile();
		return {
			schema: SCHEMA,
			pid: process.pid,
			start_ticks: 0, // read when it is written
			mode,
			session_id: session.getSessionId(),
			session_file: typeof file === "string" ? resolve(file) : undefined,
			session_dir: resolve(session.getSessionDir()),
			leaf_id: session.getLeafId() ?? null,
			generation: this.generation,
			updated_at_ms: Date.now(),
		};
	}

	async write(record) {
		if (!this.valid) return;
		record.start_ticks = startTicks(await fs.readFile("/proc/self/stat", "utf8"));
		await privateDir(this.parent);
		await privateDir(this.dir);
		// Only the queue writes, so this is what a process that was killed left.
		await fs.rm(this.temporary, { force: true });
		try {
			await fs.writeFile(this.temporary, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: "wx" });
			if (this.valid) await fs.rename(this.temporary, this.file);
		} finally {
			await fs.rm(this.temporary, { force: true });
		}
	}

	/** Removes the file if it is this publisher's; throws if there is none. */
	remove() {
		const { generation } = JSON.parse(readFileSync(this.file, "utf8"));
		if (generation === this.generation) unlinkSync(this.file);
	}

	/** Pi may end without a shutdown, as when its terminal is gone; then nothing can be awaited. */
	exit = () => {
		try {
			this.remove();
		} catch {}
	};

	release() {
		clearInterval(this.timer);
		process.off("exit", this.exit);
		this.ctx = undefined;
	}

	/** Pi waits for this before it starts the next session or ends. */
	async stop() {
		if (!this.valid) return;
		this.valid = false;
		this.release();
		if (shared.owner === this) shared.owner = undefined;
		await Promise.race([enqueue(() => this.remove()), sleep(PATIENCE, undefined, { ref: false })]);
	}
}

/** Makes a directory that nobody else can look into, or throws. */
async function privateDir(path) {
	try {
		await fs.mkdir(path, { mode: 0o700 });
	} catch (error) {
		if (error.code !== "EEXIST") throw error;
	}
	const info = await fs.lstat(path);
	if (!info.isDirectory() || info.uid !== process.getuid()) throw new Error(`${path} is not a directory of this user`);
	if ((info.mode & 0o777) !== 0o700) await fs.chmod(path, 0o700);
}

/**
 * When the process started, in clock ticks after boot: field 22 of
 * proc_pid_stat(5). The name before it may hold blanks and parentheses, so
 * fields are counted after the last one, where field 3 is the first.
 */
export function startTicks(stat) {
	const ticks = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[22 - 3]);
	if (!Number.isSafeInteger(ticks)) throw new Error("the start time is no number");
	return ticks;
}
