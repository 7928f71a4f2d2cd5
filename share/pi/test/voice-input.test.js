import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHook } from "node:async_hooks";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import extension, { startTicks } from "../voice-input.js";

let runtimeDir;
let running; // every Pi that a test started
const file = () => join(runtimeDir, "voice-input", "agent-sessions", `pi-${process.pid}.json`);
const read = () => JSON.parse(readFileSync(file(), "utf8"));

beforeEach(() => {
	runtimeDir = mkdtempSync(join(tmpdir(), "vi-pi-"));
	process.env.XDG_RUNTIME_DIR = runtimeDir;
	running = [];
});
afterEach(async () => {
	for (const pi of running) await pi.emit("session_shutdown");
	rmSync(runtimeDir, { recursive: true, force: true });
});

/** One extension runtime, as Pi makes it for each session; load is its factory. */
function runtime(session, { mode = "tui", load = extension } = {}) {
	const handlers = new Map();
	const state = { leaf: "leaf1", file: `/sessions/${session}.jsonl`, dir: "/sessions", replaced: false };
	const ctx = {
		mode,
		get sessionManager() {
			if (state.replaced) throw new Error("This extension ctx is stale after session replacement");
			return {
				getSessionId: () => session,
				getSessionFile: () => state.file,
				getSessionDir: () => state.dir,
				getLeafId: () => state.leaf,
			};
		},
	};
	load({ on: (event, handler) => handlers.set(event, handler) });
	const pi = { state, handlers, emit: (event) => handlers.get(event)?.({ type: event }, ctx) };
	running.push(pi);
	return pi;
}

/** Waits until the condition holds; what it throws counts as false. */
async function until(condition, what) {
	for (const end = Date.now() + 10_000; Date.now() < end; await sleep(2)) {
		try {
			if (condition()) return;
		} catch {}
	}
	assert.fail(`timed out: ${what}`);
}

/** A second copy of the module, as Pi has after /reload or from a copied file. */
let copies = 0;
const another = async () => (await import(`../voice-input.js?copy=${++copies}`)).default;

/** Holds every call of one file operation back until the test lets it go. */
function hold(t, operation) {
	const original = fs[operation];
	const held = [];
	t.mock.method(fs, operation, async (...args) => {
		await new Promise((go) => held.push(go));
		return original(...args);
	});
	return held;
}

test("F1: the file names the session, in a private place", async () => {
	const pi = runtime("one");
	pi.emit("session_start");
	await until(() => read().session_id === "one", "the file");
	const { updated_at_ms, generation, ...rest } = read();
	assert.deepEqual(rest, {
		schema: "vi.pi-session/1",
		pid: process.pid,
		start_ticks: startTicks(readFileSync("/proc/self/stat", "utf8")),
		mode: "tui",
		session_id: "one",
		session_file: "/sessions/one.jsonl",
		session_dir: "/sessions",
		leaf_id: "leaf1",
	});
	assert.equal(Object.keys(read())[0], "schema");
	assert.match(generation, /^[0-9A-Za-z-]{1,64}$/);
	assert.ok(Math.abs(updated_at_ms - Date.now()) < 60_000);
	assert.equal(statSync(file()).mode & 0o777, 0o600);
	for (const dir of [join(runtimeDir, "voice-input"), join(runtimeDir, "voice-input", "agent-sessions")]) {
		assert.equal(statSync(dir).mode & 0o777, 0o700, dir);
	}
	assert.deepEqual(readdirSync(join(file(), "..")), [`pi-${process.pid}.json`], "nothing but the file is left");
});

test("F1: every event publishes the leaf of that moment", async () => {
	const pi = runtime("one");
	pi.emit("session_start");
	for (const event of ["turn_end", "agent_end", "agent_settled", "session_tree", "session_compact", "session_info_changed"]) {
		pi.state.leaf = event;
		pi.emit(event);
		await until(() => read().leaf_id === event, event);
	}
	pi.state.leaf = null; // /tree to before the first message
	pi.emit("session_tree");
	await until(() => read().leaf_id === null, "no leaf");
});

test("F1: every five seconds a leaf that moved silently is found", async (t) => {
	t.mock.timers.enable({ apis: ["setInterval"] });
	const pi = runtime("one");
	pi.emit("session_start");
	await until(() => read().leaf_id === "leaf1", "the file");
	pi.state.leaf = "moved";
	t.mock.timers.tick(4_999);
	await sleep(20);
	assert.equal(read().leaf_id, "leaf1");
	t.mock.timers.tick(1);
	await until(() => read().leaf_id === "moved", "the heartbeat");
	pi.state.replaced = true; // a late beat after Pi has replaced the session
	t.mock.timers.tick(5_000);
	await sleep(20);
	assert.equal(read().leaf_id, "moved");
});

test("F1: the shutdown removes the file, and nothing publishes after it", async (t) => {
	t.mock.timers.enable({ apis: ["setInterval"] });
	const pi = runtime("one");
	pi.emit("session_start");
	await until(() => existsSync(file()), "the file");
	await pi.emit("session_shutdown");
	assert.deepEqual(readdirSync(join(file(), "..")), []);
	for (const event of pi.handlers.keys()) await pi.emit(event);
	t.mock.timers.tick(20_000);
	await sleep(20);
	assert.deepEqual(readdirSync(join(file(), "..")), []);
});

test("F4, S18: a write held back over a session switch never wins, 200 times", async (t) => {
	const held = hold(t, "writeFile");
	const rename = t.mock.method(fs, "rename");
	for (let i = 0; i < 200; i++) {
		const load = i % 2 ? await another() : extension; // Pi keeps the module, or loads it anew
		const old = runtime(`old${i}`, { load });
		old.emit("session_start");
		await until(() => held.length === 1, "the old write");
		old.emit("turn_end"); // and one more is in the queue
		const shutdown = old.emit("session_shutdown");
		const young = runtime(`new${i}`, { load });
		young.emit("session_start");
		held.shift()();
		await shutdown;
		assert.equal(rename.mock.callCount(), i, "the old session was published after its shutdown");
		await until(() => held.length === 1, "the new write");
		held.shift()();
		await until(() => existsSync(file()), "the file");
		assert.equal(read().session_id, `new${i}`);
		assert.equal(statSync(file()).mode & 0o777, 0o600);
		await young.emit("session_shutdown");
		assert.deepEqual(readdirSync(join(file(), "..")), [], "something was left");
	}
});

test("F4: a shutdown at any moment of a write leaves nothing", async (t) => {
	for (const operation of ["readFile", "mkdir", "lstat", "rm", "writeFile", "rename"]) {
		const held = hold(t, operation);
		const pi = runtime(operation);
		pi.emit("session_start");
		await until(() => held.length > 0, operation);
		const shutdown = pi.emit("session_shutdown");
		fs[operation].mock.restore();
		for (const go of held) go();
		await shutdown;
		assert.deepEqual(existsSync(join(file(), "..")) ? readdirSync(join(file(), "..")) : [], [], operation);
	}
});

test("F4: a disk that does not answer holds Pi up for two seconds at most", { timeout: 20_000 }, async (t) => {
	const held = hold(t, "writeFile");
	const pi = runtime("one");
	pi.emit("session_start");
	await until(() => held.length === 1, "the write");
	// Only the timer of the shutdown itself can end it: nothing lets the write go.
	const keepAlive = setInterval(() => {}, 1_000);
	await pi.emit("session_shutdown");
	clearInterval(keepAlive);
	held.shift()();
	const next = runtime("two");
	next.emit("session_start");
	await until(() => held.length === 1, "the next write");
	held.shift()();
	await until(() => read().session_id === "two", "the next session");
});

test("F4: writes that pile up become one, of the newest state", async (t) => {
	const held = hold(t, "writeFile");
	const pi = runtime("one");
	pi.emit("session_start");
	await until(() => held.length === 1, "the first write");
	for (let i = 0; i < 1_000; i++) {
		pi.state.leaf = `leaf${i}`;
		pi.emit("turn_end");
	}
	held.shift()();
	await until(() => held.length === 1, "the second write");
	held.shift()();
	await until(() => read().leaf_id === "leaf999", "the newest state");
	await sleep(20);
	assert.equal(held.length, 0, "a third write");
});

test("F4: another owner's file is left alone", async () => {
	for (const foreign of ['{"generation":"another"}', "{", "", "null"]) {
		const pi = runtime("one");
		pi.emit("session_start");
		await until(() => read().session_id === "one", "the file");
		const neighbour = join(file(), "..", "pi-1.json");
		writeFileSync(neighbour, JSON.stringify(read()));
		writeFileSync(file(), foreign);
		await pi.emit("session_shutdown");
		assert.equal(readFileSync(file(), "utf8"), foreign);
		assert.ok(existsSync(neighbour));
	}
});

test("only a session on the screen is published", async () => {
	for (const mode of ["rpc", "json", "print", "unheard-of"]) {
		const pi = runtime("hidden", { mode });
		for (const event of pi.handlers.keys()) await pi.emit(event);
		await sleep(20);
		assert.deepEqual(readdirSync(runtimeDir), [], `mode ${mode}`);
	}
});

test("a session inside the session never takes the file over", async () => {
	const parent = runtime("parent");
	parent.emit("session_start");
	await until(() => read().session_id === "parent", "the file");
	for (const mode of ["tui", "print"]) {
		const child = runtime("child", { mode, load: await another() });
		for (const event of ["session_start", "turn_end", "agent_end"]) child.emit(event);
		await sleep(20);
		assert.equal(read().session_id, "parent");
		await child.emit("session_shutdown");
		assert.equal(read().session_id, "parent");
	}
});

test("a session without a file has no entry", async () => {
	const pi = runtime("one");
	pi.emit("session_start");
	await until(() => existsSync(file()), "the file");
	pi.state.file = undefined;
	pi.emit("turn_end");
	await until(() => !existsSync(file()), "the removal");
	pi.state.file = "/sessions/one.jsonl";
	pi.emit("turn_end");
	await until(() => existsSync(file()), "the file again");
});

test("relative paths become absolute", async () => {
	const pi = runtime("one");
	Object.assign(pi.state, { file: "s/one.jsonl", dir: "s" });
	pi.emit("session_start");
	await until(() => read().session_dir === join(process.cwd(), "s"), "the folder");
	assert.equal(read().session_file, join(process.cwd(), "s", "one.jsonl"));
});

test("without a runtime directory nothing is done", () => {
	for (const value of [undefined, "", "relative"]) {
		if (value === undefined) delete process.env.XDG_RUNTIME_DIR;
		else process.env.XDG_RUNTIME_DIR = value;
		assert.equal(runtime("one").handlers.size, 0, `${value}`);
	}
});

test("nothing is started before the session", (t) => {
	const made = [];
	const hook = createHook({ init: (_id, type) => made.push(type) }).enable();
	extension({ on() {} });
	hook.disable();
	assert.deepEqual(made, []);
});

test("nothing outlives its session", async (t) => {
	const listeners = process.listenerCount("exit");
	const made = t.mock.method(globalThis, "setInterval");
	const cleared = t.mock.method(globalThis, "clearInterval");
	const pi = runtime("one");
	pi.emit("session_start");
	pi.emit("session_start");
	await pi.emit("session_shutdown");
	const ended = cleared.mock.calls.map((call) => call.arguments[0]);
	assert.equal(made.mock.callCount(), 2);
	for (const call of made.mock.calls) assert.ok(ended.includes(call.result));
	assert.equal(process.listenerCount("exit"), listeners);
});

test("a session that is never shut down neither keeps its process nor leaves its file", () => {
	const program = `
		import fs from "node:fs";
		import extension from ${JSON.stringify(new URL("../voice-input.js", import.meta.url).href)};
		process.on("exit", () => console.log(fs.readdirSync(${JSON.stringify(join(file(), ".."))}).length));
		const sessionManager = { getSessionId: () => "s", getSessionFile: () => "/s", getSessionDir: () => "/", getLeafId: () => null };
		extension({ on: (event, handler) => event === "session_start" && handler({}, { mode: "tui", sessionManager }) });
	`;
	const out = execFileSync(process.execPath, ["--input-type=module", "-e", program], { timeout: 20_000, encoding: "utf8" });
	assert.equal(out, "1\n", "the file was there");
	assert.deepEqual(readdirSync(join(file(), "..")), []);
});

test("a directory that is not private is made so, and one that is a trap is not used", async () => {
	const parent = join(runtimeDir, "voice-input");
	mkdirSync(parent, { mode: 0o755 });
	chmodSync(parent, 0o777);
	const pi = runtime("one");
	pi.emit("session_start");
	await until(() => existsSync(file()), "the file");
	assert.equal(statSync(parent).mode & 0o777, 0o700);
	await pi.emit("session_shutdown");

	const elsewhere = mkdtempSync(join(tmpdir(), "vi-pi-"));
	rmSync(parent, { recursive: true });
	symlinkSync(elsewhere, parent);
	const trapped = runtime("two");
	trapped.emit("session_start");
	await trapped.emit("session_shutdown");
	assert.deepEqual(readdirSync(elsewhere), []);
	rmSync(elsewhere, { recursive: true });
});

test("what a killed process left under the temporary name does no harm", async (t) => {
	t.mock.timers.enable({ apis: ["setInterval"] }); // no second try
	const dir = join(file(), "..");
	mkdirSync(dir, { recursive: true, mode: 0o700 });
	const target = join(runtimeDir, "target");
	writeFileSync(target, "untouched");
	symlinkSync(target, join(dir, `.pi-${process.pid}.json.new`));
	runtime("one").emit("session_start");
	await until(() => read().session_id === "one", "the file");
	assert.equal(readFileSync(target, "utf8"), "untouched");
	assert.deepEqual(readdirSync(dir), [`pi-${process.pid}.json`]);
});

test("a disk error is Pi's least worry, and the next event publishes again", async (t) => {
	const failing = t.mock.method(fs, "writeFile", async () => {
		throw new Error("no space left");
	});
	const pi = runtime("one");
	assert.equal(pi.emit("session_start"), undefined);
	await until(() => failing.mock.callCount() === 1, "the attempt");
	await sleep(20);
	assert.deepEqual(readdirSync(join(file(), "..")), []);
	failing.mock.restore();
	pi.emit("turn_end");
	await until(() => read().session_id === "one", "the file");
});

test("the start time stands after the last parenthesis", () => {
	const fields = Array.from({ length: 50 }, (_, i) => i + 3);
	for (const name of ["pi", "a b", "a) S 1 (b", "("]) {
		assert.equal(startTicks(`7 (${name}) ${fields.join(" ")}`), 22);
	}
	for (const broken of ["", "7 (pi) S 1", "7 pi S"]) assert.throws(() => startTicks(broken));
});
