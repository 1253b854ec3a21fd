// The life of the server: found or installed, started, restarted when what it depends on changes, stopped.

import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type StaticFeature } from "vscode-languageclient/node";

import { type Found, findServer, type Machine, type Server, thisMachine } from "./finding";
import { install, REQUIREMENT } from "./installing";
import { clientsRequest, type Inventory, statusNotification } from "./protocol";
import { StatusLine } from "./status";
import { ClientTree } from "./tree";

const LANGUAGES = ["python", "java", "kotlin", "javascript", "javascriptreact", "typescript", "typescriptreact"];
const INSTALL = "Install";
const SETTING = "Choose a path";

/** Tells the server that we show what a folder is at. */
const takesStatus: StaticFeature = {
  fillClientCapabilities(capabilities) {
    capabilities.experimental = { ...capabilities.experimental, resplint: { status: true } };
  },
  initialize() {},
  getState: () => ({ kind: "static" }),
  clear() {},
};

let extension: Extension | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  extension = new Extension(context, thisMachine);
  await extension.start();
}

export async function deactivate(): Promise<void> {
  await extension?.stop();
  extension = undefined;
}

class Extension {
  private readonly output = vscode.window.createOutputChannel("resplint", { log: true });
  private readonly status = new StatusLine();
  private readonly tree = new ClientTree(() => this.clients());
  private readonly privateFolder: string;
  private client: LanguageClient | undefined;
  private busy: Promise<void> = Promise.resolve();

  constructor(
    context: vscode.ExtensionContext,
    private readonly machine: Machine,
  ) {
    this.privateFolder = path.join(context.globalStorageUri.fsPath, "environment");
    context.subscriptions.push(
      this.output,
      this.status,
      this.tree,
      vscode.window.registerTreeDataProvider("resplint.clients", this.tree),
      vscode.commands.registerCommand("resplint.restart", () => this.restart()),
      vscode.commands.registerCommand("resplint.install", () => this.installAndRestart()),
      vscode.commands.registerCommand("resplint.showOutput", () => this.output.show()),
      vscode.commands.registerCommand("resplint.refreshClients", () => this.tree.refresh()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()),
      vscode.workspace.onDidChangeConfiguration((change) =>
        change.affectsConfiguration("resplint") ? this.restart() : undefined,
      ),
    );
  }

  /** Find a server and start it; ask what to do if there is none. */
  start(): Promise<void> {
    return this.inTurn(async () => {
      const found = await this.find();
      if (found.server) {
        await this.run(found.server);
        return;
      }
      this.status.stopped(found.problems[0] ?? "resplint was not found");
      found.problems.forEach((problem) => this.output.warn(problem));
      // Whoever ignores the question is not waited for.
      void this.offer(found);
    });
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  private find(): Promise<Found> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    return findServer(
      {
        setting: setting("path", ""), folders, trusted: vscode.workspace.isTrusted, privateFolder: this.privateFolder,
      },
      this.machine,
    );
  }

  private async run(server: Server): Promise<void> {
    this.output.info(`Starting ${server.command} (${server.origin}).`);
    const options: LanguageClientOptions = {
      documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
      outputChannel: this.output,
      initializationOptions: {
        diagnostics: setting("diagnostics", "auto"),
        level: setting("level", "note"),
        ...(setting("config", "") ? { config: setting("config", "") } : {}),
      },
    };
    const start = { command: server.command, args: ["server"] };
    const client = new LanguageClient("resplint", "resplint", start, options);
    client.registerFeature(takesStatus);
    client.onNotification(statusNotification, (status) => {
      this.status.update(status);
      if (status.state === "idle") {
        this.tree.refresh();
      }
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.client = undefined;
      this.status.stopped(`${server.command} did not start: ${error instanceof Error ? error.message : error}`);
      return;
    }
    this.tree.refresh();
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.status.stopped("resplint is not running");
    await client?.dispose();
  }

  private async clients(): Promise<readonly Inventory[]> {
    return this.client ? (await this.client.sendRequest(clientsRequest, {})).projects : [];
  }

  // -- installing ------------------------------------------------------------------------------------------------------

  private async offer(found: Found): Promise<void> {
    if (setting("path", "")) {
      void vscode.window.showErrorMessage(`resplint: ${found.problems[0]}`);
      return;
    }
    const problem = found.problems[0] ? ` (${found.problems[0]})` : "";
    const question = `resplint was not found${problem}. Install it into an environment of this extension? Your projects stay as they are.`;
    const answer = await vscode.window.showInformationMessage(question, INSTALL, SETTING);
    if (answer === INSTALL) {
      await this.installAndRestart();
    } else if (answer === SETTING) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "resplint.path");
    }
  }

  private async installAndRestart(): Promise<void> {
    await this.stop();
    const options = { location: vscode.ProgressLocation.Notification, title: "Installing resplint" };
    try {
      await vscode.window.withProgress(options, () =>
        install(this.privateFolder, setting("requirement", "") || REQUIREMENT, this.machine),
      );
    } catch (error) {
      void vscode.window.showErrorMessage(`resplint could not be installed: ${(error as Error).message}`);
    }
    await this.start();
  }

  /** Starts and stops come one after the other, in the order in which they were asked for. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    this.busy = this.busy.then(work, work);
    return this.busy;
  }
}

function setting(name: string, otherwise: string): string {
  return vscode.workspace.getConfiguration("resplint").get<string>(name) || otherwise;
}
