// The clients of the workspace as a tree: folder, client, then its options and the places that send through it.

import * as vscode from "vscode";

import type { Inventory, Place, RedisClient, Setting, Site } from "./protocol";

/** Asks the server; throws while there is none. */
export type Ask = () => Promise<readonly Inventory[]>;

export interface Node {
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  readonly icon: string;
  readonly context: string;
  readonly open?: boolean;
  readonly place?: { readonly uri: vscode.Uri; readonly line: number; readonly column: number };
  readonly children: readonly Node[];
}

export class ClientTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly ask: Ask) {}

  refresh(): void {
    this.changed.fire();
  }

  async getChildren(node?: Node): Promise<Node[]> {
    return [...(node ? node.children : nodesOf(await this.ask()))];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { None, Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(node.label, node.children.length ? (node.open ? Expanded : Collapsed) : None);
    item.description = node.description;
    item.tooltip = node.tooltip;
    item.iconPath = new vscode.ThemeIcon(node.icon);
    item.contextValue = node.context;
    if (node.place) {
      const at = new vscode.Position(node.place.line - 1, node.place.column - 1);
      const options = { selection: new vscode.Range(at, at) };
      item.command = { command: "vscode.open", title: "Open", arguments: [node.place.uri, options] };
    }
    return item;
  }

  dispose(): void {
    this.changed.dispose();
  }
}

export function nodesOf(projects: readonly Inventory[]): readonly Node[] {
  const shown = projects.filter((project) => project.clients.length || project.error);
  // A single folder needs no level of its own.
  if (shown.length === 1 && !shown[0].error) {
    return clientsOf(shown[0]);
  }
  return shown.map((project) => ({
    label: decodeURIComponent(project.uri.replace(/\/+$/, "").split("/").at(-1) ?? project.uri),
    description: project.error,
    icon: project.error ? "error" : "root-folder",
    context: "folder",
    open: true,
    children: clientsOf(project),
  }));
}

function clientsOf(project: Inventory): readonly Node[] {
  const folder = vscode.Uri.parse(project.uri);
  return project.clients.map((client) => clientNode(client, folder));
}

function clientNode(client: RedisClient, folder: vscode.Uri): Node {
  const often = client.made.kind === "operation";
  return {
    label: client.name,
    description: client.place ? `${client.place.path}:${client.place.line}` : "not made in this code",
    tooltip: [client.library.phrase, often ? `made for every operation: ${client.made.why}` : client.made.why]
      .filter(Boolean)
      .join("\n"),
    icon: often ? "warning" : client.kind === "pool" ? "layers" : "database",
    context: "client",
    place: client.place ? target(client.place, folder) : undefined,
    children: [
      ...[...client.timeouts, ...client.pool, ...client.retry].map((setting) => settingNode(setting, folder)),
      {
        label: client.call_sites === 1 ? "1 call site" : `${client.call_sites} call sites`,
        icon: "references",
        context: "sites",
        children: client.sites.map((site) => siteNode(site, folder)),
      },
    ],
  };
}

function settingNode(setting: Setting, folder: vscode.Uri): Node {
  const origins: Record<string, string> = { default: "by default", settings: "in the settings", unknown: "unknown" };
  return {
    label: `${setting.option}: ${setting.text}`,
    description: origins[setting.origin],
    icon: "settings-gear",
    context: "setting",
    place: setting.place ? target(setting.place, folder) : undefined,
    children: [],
  };
}

function siteNode(site: Site, folder: vscode.Uri): Node {
  return {
    label: site.command ?? "a command decided at run time",
    description: `${site.path}:${site.line}`,
    icon: "symbol-method",
    context: "site",
    place: target(site, folder),
    children: [],
  };
}

function target(place: Place & { column?: number }, folder: vscode.Uri): Node["place"] {
  return { uri: vscode.Uri.joinPath(folder, ...place.path.split("/")), line: place.line, column: place.column ?? 1 };
}
