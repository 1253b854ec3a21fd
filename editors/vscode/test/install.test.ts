// The packaged extension where there is no resplint: it asks, installs one of its own if it may, and starts it.

import * as assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import * as vscode from "vscode";

// biome-ignore lint: the mock has more than the API
const mock = (vscode as any).mock;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "resplint-")));
const environment = join(folder, "storage", "environment");
const context = { subscriptions: [] as vscode.Disposable[], globalStorageUri: vscode.Uri.file(join(folder, "storage")) };
// A Python whose environments get the resplint of the test from pip.
const PYTHON = `#!/bin/sh
if [ "$2" = venv ]; then
  mkdir -p "$3/bin" && cp "$0" "$3/bin/python"
elif [ "$2" = pip ]; then
  echo "$*" >"${folder}/asked"
  printf '#!/bin/sh\\nexec "${process.env.RESPLINT}" "$@"\\n' >"$(dirname "$0")/resplint"
  chmod +x "$(dirname "$0")/resplint"
fi
`;

async function until(what: string, look: () => unknown): Promise<void> {
  const end = Date.now() + 30_000;
  while (!look()) {
    assert.ok(Date.now() < end, `${what} did not come; log: ${mock.log.join("\n")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

let extension: { activate(context: unknown): Promise<void>; deactivate(): Promise<void> };

before(async () => {
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin", "python3"), PYTHON);
  chmodSync(join(folder, "bin", "python3"), 0o755);
  process.env.PATH = `${join(folder, "bin")}:/usr/bin:/bin`;
  mock.setFolders(folder);
  extension = require(join(process.env.RESPLINT_EXTENSION ?? "", "dist", "extension.js"));
  await extension.activate(context);
});

after(() => extension.deactivate());

test("it asks, and does nothing before it has an answer", async () => {
  await until("the question", () => mock.messages.length);
  assert.match(mock.messages[0].message, /^resplint was not found\. Install it into an environment of this extension\?/);
  assert.deepEqual(mock.messages[0].choices, ["Install", "Choose a path"]);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assert.equal(existsSync(environment), false);
  assert.equal(existsSync(join(folder, "asked")), false);
  assert.equal(mock.statusBar.text, "$(circle-slash) resplint");
  assert.deepEqual(await mock.trees.get("resplint.clients").getChildren(), []);
});

test("it installs one of its own and starts it", async () => {
  writeFileSync(join(folder, "db.py"), "import redis\n\nclient = redis.Redis(socket_timeout=5)\n");
  mock.answer = "Install";
  await mock.run("resplint.restart");
  await until("the server", () => mock.log.some((line: string) => line.includes(`Starting ${environment}`)));
  assert.ok(existsSync(join(folder, "asked")));
  await mock.open(join(folder, "db.py"), "python");
  await until("the check mark", () => mock.statusBar.text === "$(check) resplint");
});

test("if that fails, it says why", async () => {
  writeFileSync(join(folder, "bin", "python3"), "#!/bin/sh\necho no room left >&2\n[ $1 = -c ]\n");
  await mock.run("resplint.install");
  await until("the message", () => mock.messages.some((each: { kind: string }) => each.kind === "error"));
  assert.match(mock.messages.find((each: { kind: string }) => each.kind === "error").message, /no room left/);
});
