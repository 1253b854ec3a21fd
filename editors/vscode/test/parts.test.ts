// The tree and the status bar, given what a server says.

import * as assert from "node:assert/strict";
import { test } from "node:test";

import * as vscode from "vscode";

import type { Inventory, RedisClient } from "../src/protocol";
import { StatusLine } from "../src/status";
import { ClientTree, nodesOf } from "../src/tree";

// biome-ignore lint: the mock has more than the API
const mock = (vscode as any).mock;

const CLIENT: RedisClient = {
  kind: "client", name: "redis.Redis", place: { path: "app/my db.py", line: 3 }, symbol: "",
  library: { phrase: "redis-py 5.0.0, as requirements.txt says" }, made: { kind: "once", why: "" },
  pool: [], timeouts: [], retry: [{ option: "retry", text: "3 times", origin: "default", place: null }],
  call_sites: 1, sites: [{ path: "app/jobs.py", line: 7, column: 5, command: null }],
};

function project(name: string, ...clients: RedisClient[]): Inventory {
  return { uri: `file:///work/${name}`, clients };
}

test("clients of one folder need no level for it, those of several do", () => {
  assert.deepEqual(nodesOf([project("shop", CLIENT), project("empty")]).map((node) => node.label), ["redis.Redis"]);
  const two = nodesOf([project("shop", CLIENT), project("my%20jobs", CLIENT)]);
  assert.deepEqual(two.map((node) => node.label), ["shop", "my jobs"]);
  assert.equal(two[1].children[0].place?.uri.fsPath, "/work/my jobs/app/my db.py");
});

test("a folder that could not be linked says why", () => {
  const [node] = nodesOf([{ uri: "file:///work/shop", clients: [], error: "out of memory" }]);
  assert.deepEqual([node.label, node.description, node.icon], ["shop", "out of memory", "error"]);
});

test("a client that is made for every operation is marked", () => {
  const often = { ...CLIENT, made: { kind: "operation", why: "the request handler" } };
  const [node] = nodesOf([project("shop", often)]);
  assert.equal(node.icon, "warning");
  assert.match(node.tooltip ?? "", /made for every operation: the request handler/);
});

test("options and places are named as people read them", () => {
  const [node] = nodesOf([project("shop", CLIENT)]);
  const [retry, sites] = node.children;
  assert.deepEqual([retry.label, retry.description, retry.place], ["retry: 3 times", "by default", undefined]);
  assert.equal(sites.label, "1 call site");
  assert.equal(sites.children[0].label, "a command decided at run time");
});

test("a client that the code does not make leads nowhere", () => {
  const [node] = nodesOf([project("shop", { ...CLIENT, place: null })]);
  assert.deepEqual([node.description, node.place], ["not made in this code", undefined]);
  const item = new ClientTree(async () => []).getTreeItem(node);
  assert.equal(item.command, undefined);
});

test("the status bar sums over folders and keeps what was found while a scan is under way", () => {
  const line = new StatusLine();
  const shown = () => mock.statusBar.text;
  const findings = { error: 1, warning: 2, note: 4 };
  assert.equal(shown(), "$(circle-slash) resplint");
  line.update({ uri: "file:///a", state: "scanning" });
  assert.equal(shown(), "$(sync~spin) resplint");
  line.update({ uri: "file:///a", state: "idle", findings });
  line.update({ uri: "file:///b", state: "idle", findings });
  assert.deepEqual([shown(), mock.statusBar.tooltip], ["$(warning) resplint 6", "2 errors, 4 warnings, 8 notes"]);
  line.update({ uri: "file:///b", state: "scanning" });
  line.update({ uri: "file:///b", state: "failed", error: "RecursionError: too deep" });
  assert.deepEqual([shown(), mock.statusBar.tooltip], ["$(error) resplint", "RecursionError: too deep"]);
  line.update({ uri: "file:///b", state: "idle", findings, mistake: "resplint.toml: ignore: expected a list" });
  assert.equal(mock.statusBar.command, "resplint.showOutput");
  line.stopped("not found");
  assert.deepEqual([shown(), mock.statusBar.tooltip], ["$(circle-slash) resplint", "not found"]);
});
