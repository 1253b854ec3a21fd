// Which resplint is started, and how one of our own is installed.

import * as assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { type Ended, findServer, type Machine, type Places } from "../src/finding";
import { install } from "../src/installing";

const GOOD: Ended = { code: 1, output: "" };
const WITHOUT_EXTRA: Ended = {
  code: 2,
  output: "resplint: the language server needs pygls, which is not installed: pip install 'resplint[server]'.\n",
};
const PLACES: Places = { setting: "", folders: ["/work/shop"], trusted: true, privateFolder: "/storage/environment" };

/** A machine with these executables, each of which ends as it says. */
function machine(programs: Record<string, Ended>, more: Partial<Machine> = {}): Machine & { ran: string[] } {
  const ran: string[] = [];
  return {
    windows: false,
    searchPath: "/usr/local/bin:relative/bin:/usr/bin",
    ran,
    isExecutable: async (file) => file in programs,
    run: async (command, args) => {
      ran.push([command, ...args].join(" "));
      return programs[command] ?? { code: null, output: `spawn ${command} ENOENT` };
    },
    ...more,
  };
}

const ALL = {
  "/chosen/resplint": GOOD,
  "/work/shop/.venv/bin/resplint": GOOD,
  "/work/shop/venv/bin/resplint": GOOD,
  "/usr/bin/resplint": GOOD,
  "/storage/environment/bin/resplint": GOOD,
};

function without(...names: string[]): Record<string, Ended> {
  return Object.fromEntries(Object.entries(ALL).filter(([name]) => !names.includes(name)));
}

test("the setting comes first, then the workspace, the PATH, and our own", async () => {
  const found = async (programs: Record<string, Ended>, places: Partial<Places> = {}) =>
    (await findServer({ ...PLACES, ...places }, machine(programs))).server;
  const [chosen, venv, other, path, own] = Object.keys(ALL);
  assert.deepEqual(await found(ALL, { setting: chosen }), { command: chosen, origin: "setting" });
  assert.deepEqual(await found(ALL), { command: venv, origin: "workspace" });
  assert.deepEqual(await found(without(venv)), { command: other, origin: "workspace" });
  assert.deepEqual(await found(without(venv, other)), { command: path, origin: "path" });
  assert.deepEqual(await found(without(venv, other, path)), { command: own, origin: "private" });
  assert.equal(await found({}), undefined);
});

test("nothing of a workspace that is not trusted is started", async () => {
  const here = machine({ ...ALL, "relative/bin/resplint": GOOD });
  const { server } = await findServer({ ...PLACES, trusted: false }, here);
  assert.equal(server?.origin, "path");
  assert.deepEqual(here.ran, ["/usr/bin/resplint server --stdio"]);
});

test("one that cannot serve editors is passed over and named", async () => {
  const found = await findServer(PLACES, machine({ ...ALL, "/work/shop/.venv/bin/resplint": WITHOUT_EXTRA }));
  assert.equal(found.server?.command, "/work/shop/venv/bin/resplint");
  assert.deepEqual(found.problems, [WITHOUT_EXTRA.output.trim()]);
});

test("if the one of the setting does not work, no other takes its place", async () => {
  const missing = await findServer({ ...PLACES, setting: "/nowhere/resplint" }, machine(ALL));
  assert.equal(missing.server, undefined);
  assert.deepEqual(missing.problems, ["resplint.path: spawn /nowhere/resplint ENOENT"]);
});

test("the setting may lead into the workspace", async () => {
  const found = await findServer({ ...PLACES, setting: "${workspaceFolder}/.venv/bin/resplint" }, machine(ALL));
  assert.equal(found.server?.command, "/work/shop/.venv/bin/resplint");
});

test("installing makes an environment and runs pip in it, in a folder of ours", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "resplint-")), "environment");
  const cwds = new Set<string | undefined>();
  const here = machine({}, {
    run: async (command, args, options) => {
      here.ran.push([command, ...args].join(" "));
      cwds.add(options?.cwd);
      return { code: 0, output: "" };
    },
  });
  await install(folder, "resplint[server]", here);
  assert.deepEqual(here.ran.slice(1), [
    `python3 -m venv ${folder}`,
    `${folder}/bin/python -m pip install --quiet --disable-pip-version-check resplint[server]`,
  ]);
  assert.deepEqual([...cwds].slice(1), [join(folder, "..")]);
});

test("installing says in one line what went wrong", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "resplint-")), "environment");
  await assert.rejects(install(folder, "resplint", machine({})), /needs Python 3\.10 or newer/);
  const broken = machine({ python3: { code: 0, output: "" }, [`${folder}/bin/python`]: { code: 1, output: "a\nno network\n" } });
  await assert.rejects(install(folder, "resplint", broken), /^Error: no network$/);
});
