import { editDistance } from "#/std/text/edit-distance.ts";

/** The parts of the overview, in its order, with their titles. */
const groups = {
  use: "Use a cluster",
  nodes: "Nodes",
  components: "Run one component, with upstream's flags",
  develop: "Develop k8ts",
} as const;

/** A command as the overview lists it. */
export interface ListedCommand {
  readonly name: string;
  /** Undefined for a command that only k8ts itself calls. */
  readonly group?: keyof typeof groups;
  readonly summary: string;
}

/** The page of `k8ts help`. */
export function overview(commands: readonly ListedCommand[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 3;
  const parts = Object.entries(groups).map(([group, title]) => {
    const rows = commands
      .filter((command) => command.group === group)
      .map(({ name, summary }) => `  ${name.padEnd(width)}${summary}\n`);
    return `${title}:\n${rows.join("")}`;
  });
  return `Kubernetes in one command.

Usage: k8ts COMMAND [flags]

${parts.join("\n")}
Help on one command: k8ts help COMMAND. The cluster is chosen by --name, or by
$K8TS_CLUSTER, or by the current context of your kubeconfig; else it is "k8ts".
`;
}

/** Limit of differing letters (count) for a suggested command. */
const maxDistance = 2;

/** The names of commands similar to a mistyped word, the nearest first. */
export function nearCommands(word: string, commands: readonly ListedCommand[]): string[] {
  return commands
    .filter(({ group }) => group !== undefined)
    .map(({ name }) => ({ name, distance: editDistance(word, name) }))
    .filter(({ name, distance }) => distance <= maxDistance || name.startsWith(word))
    .sort((a, b) => a.distance - b.distance)
    .map(({ name }) => name);
}
