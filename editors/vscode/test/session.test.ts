// The packaged extension with a real language server: what a person sees in VS Code.

import * as assert from "node:assert/strict";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import * as vscode from "vscode";

// biome-ignore lint: the mock has more than the API
const mock = (vscode as any).mock;

const DB = "import redis\n\nclient = redis.Redis(socket_timeout=5)\n";
const WORKER = "from db import client\n\n\ndef work():\n    return client.blpop('jobs', timeout=30)\n";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "resplint-")));
const bundle = join(process.env.RESPLINT_EXTENSION ?? "", "dist", "extension.js");
const context = { subscriptions: [] as vscode.Disposable[], globalStorageUri: vscode.Uri.file(join(folder, "storage")) };
const extension = require(bundle);
let worker: vscode.TextDocument;

async function until<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const end = Date.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found) {
      return found as NonNullable<T>;
    }
    assert.ok(Date.now() < end, `${what} did not come; log: ${mock.log.join("\n")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function problems(document: vscode.TextDocument): Promise<vscode.Diagnostic[]> {
  return mock.problems(document);
}

before(async () => {
  writeFileSync(join(folder, "db.py"), DB);
  writeFileSync(join(folder, "worker.py"), WORKER);
  mock.setFolders(folder);
  mock.settings["resplint.path"] = process.env.RESPLINT;
  await extension.activate(context);
  worker = await mock.open(join(folder, "worker.py"), "python");
});

after(async () => {
  await extension.deactivate();
  assert.equal(mock.statusBar.text, "$(circle-slash) resplint");
});

test("a finding is a problem with its trail as related information", async () => {
  const [problem] = await until("the problem", async () => {
    const found = await problems(worker);
    return found.length ? found : undefined;
  });
  assert.equal((problem.code as { value: string }).value, "RL104");
  assert.equal(problem.severity, vscode.DiagnosticSeverity.Error);
  assert.equal(problem.range.start.line, 4);
  const trail = problem.relatedInformation ?? [];
  assert.equal(trail[0].location.uri.fsPath, join(folder, "db.py"));
  assert.equal(trail[0].location.range.start.line, 2);
  assert.match(trail[0].message, /client/);
});

test("pointing at it shows the page of the rule", async () => {
  const [hover] = await mock.provided("Hover", worker, new vscode.Position(4, 20));
  const text = [hover.contents].flat().map((each: vscode.MarkdownString) => each.value).join("");
  assert.match(text, /RL104 blocking-timeout/);
  assert.match(text, /## Why it matters|## Good/);
});

test("it can be fixed or ignored", async () => {
  const [problem] = await problems(worker);
  const asked = { diagnostics: [problem], only: undefined, triggerKind: 1 };
  const actions = await mock.provided("CodeActions", worker, problem.range, asked);
  const titles = actions.map((action: vscode.CodeAction) => action.title);
  assert.ok(titles.includes("Ignore RL104 here"), titles.join());
  const fix = actions.find((action: vscode.CodeAction) => action.title.startsWith("Wait 4 s"));
  const resolved = await mock.resolved(fix);
  const [edit] = [...resolved.edit.changes.values()].flat(2);
  assert.deepEqual([edit.newText, edit.range.start.line], ["4", 4]);
});

test("the status bar counts what was found", async () => {
  await until("the count", () => mock.statusBar.text === "$(warning) resplint 1");
  assert.equal(mock.statusBar.tooltip, "1 errors, 0 warnings, 0 notes");
  assert.equal(mock.statusBar.command, "workbench.actions.view.problems");
});

test("the clients of the workspace are a tree that leads into the code", async () => {
  const tree = mock.trees.get("resplint.clients");
  const [client] = await tree.getChildren();
  const item = tree.getTreeItem(client);
  assert.deepEqual([item.label, item.description], ["redis.Redis", "db.py:3"]);
  assert.equal(item.command.arguments[0].fsPath, join(folder, "db.py"));
  const inner: string[] = (await tree.getChildren(client)).map((node: { label: string }) => node.label);
  assert.ok(inner.includes("socket_timeout: 5 s"), inner.join());
  const sites = await tree.getChildren((await tree.getChildren(client)).at(-1));
  const site = tree.getTreeItem(sites[0]);
  assert.deepEqual([site.label, site.description], ["BLPOP", "worker.py:5"]);
  assert.equal(site.command.arguments[1].selection.start.line, 4);
});

test("what is typed counts, in the problems, the status bar and the tree", async () => {
  const tree = mock.trees.get("resplint.clients");
  let refreshed = 0;
  tree.onDidChangeTreeData(() => (refreshed += 1));
  const db = await mock.open(join(folder, "db.py"), "python");
  await mock.type(db, DB.replace("=5", "=60"));
  await until("the end of the problem", async () => (await problems(worker)).length === 0);
  await until("the check mark", () => mock.statusBar.text === "$(check) resplint");
  assert.ok(refreshed > 0);
  const [client] = await tree.getChildren();
  assert.equal((await tree.getChildren(client))[0].label, "socket_timeout: 60 s");
});

test("a changed setting restarts the server", async () => {
  await mock.set("resplint.level", "error");
  await until("the restart", () => mock.statusBar.text === "$(check) resplint");
  assert.ok(mock.log.filter((line: string) => line.includes("Starting")).length >= 2);
});
