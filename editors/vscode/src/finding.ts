// Which resplint to start: the one of the setting, of the workspace, of the PATH, or one of our own.

import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import * as path from "node:path";

/** How a resplint was found; "private" is the one that this extension installed for itself. */
export type Origin = "setting" | "workspace" | "path" | "private";

export interface Server {
  readonly command: string;
  readonly origin: Origin;
}

/** What is asked of the machine, so that tests can answer instead. */
export interface Machine {
  readonly windows: boolean;
  readonly searchPath: string;
  isExecutable(file: string): Promise<boolean>;
  run(command: string, args: readonly string[], options?: { cwd?: string }): Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Where to look. Nothing of a workspace that is not trusted is ever started. */
export interface Places {
  readonly setting: string;
  readonly folders: readonly string[];
  readonly trusted: boolean;
  readonly privateFolder: string;
}

/** A server that can be started, or what is wrong with each that was looked at. */
export interface Found {
  readonly server?: Server;
  readonly problems: readonly string[];
}

const ENVIRONMENTS = [".venv", "venv", "env"];

export async function findServer(places: Places, machine: Machine): Promise<Found> {
  const problems: string[] = [];
  if (places.setting) {
    // Somebody chose it: if it does not work, nothing else takes its place unasked.
    const command = expanded(places.setting, places.folders);
    const problem = await whatIsWrong(command, machine);
    return problem ? { problems: [`resplint.path: ${problem}`] } : { server: { command, origin: "setting" }, problems };
  }
  for (const [command, origin] of candidates(places, machine)) {
    if (!(await machine.isExecutable(command))) {
      continue;
    }
    const problem = await whatIsWrong(command, machine);
    if (!problem) {
      return { server: { command, origin }, problems };
    }
    problems.push(problem);
  }
  return { problems };
}

function* candidates(places: Places, machine: Machine): Generator<[string, Origin]> {
  if (places.trusted) {
    for (const folder of places.folders) {
      for (const name of ENVIRONMENTS) {
        yield [executableIn(path.join(folder, name), "resplint", machine.windows), "workspace"];
      }
    }
  }
  for (const folder of machine.searchPath.split(machine.windows ? ";" : ":")) {
    // A relative entry would lead into the folder of the workspace.
    if (path.isAbsolute(folder)) {
      yield [path.join(folder, machine.windows ? "resplint.exe" : "resplint"), "path"];
    }
  }
  yield [executableIn(places.privateFolder, "resplint", machine.windows), "private"];
}

/** An executable of a virtual environment. */
export function executableIn(environment: string, name: string, windows: boolean): string {
  return windows ? path.join(environment, "Scripts", `${name}.exe`) : path.join(environment, "bin", name);
}

/** Why a resplint cannot serve editors; "" if it can. */
export async function whatIsWrong(command: string, machine: Machine): Promise<string> {
  // Without input it ends at once; if its extra is missing, it says so and exits 2.
  const ended = await machine.run(command, ["server", "--stdio"]);
  return ended.code === 0 || ended.code === 1 ? "" : lastLine(ended.output) || `${command} does not start.`;
}

export function expanded(setting: string, folders: readonly string[]): string {
  return setting.replaceAll("${workspaceFolder}", folders[0] ?? "").replace(/^~(?=[/\\])/, process.env.HOME ?? "~");
}

export function lastLine(text: string): string {
  return text.trimEnd().split(/\r?\n/).at(-1) ?? "";
}

/** This machine. */
export const thisMachine: Machine = {
  windows: process.platform === "win32",
  searchPath: process.env.PATH ?? "",
  async isExecutable(file) {
    try {
      await access(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  },
  run(command, args, options = {}) {
    return new Promise((resolve) => {
      const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      const take = (chunk: Buffer) => (output = (output + chunk.toString("utf8")).slice(-20_000));
      child.stdout.on("data", take);
      child.stderr.on("data", take);
      child.on("error", (error) => resolve({ code: null, output: error.message }));
      child.on("close", (code) => resolve({ code, output }));
    });
  },
};
