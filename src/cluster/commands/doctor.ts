import { ownCommand } from "../base/own-command.ts";
import { type Paint, paintFor } from "../base/paint.ts";
import { findSettings } from "../base/settings.ts";
import { command, pathsOf } from "../command-line/command.ts";
import { type Finding, judgeMachine } from "../doctor/judge-machine.ts";
import { readFacts } from "../doctor/read-facts.ts";
import { clusterFlags } from "../plan/up-flags.ts";
import { plannedSettings } from "../plan/up-settings.ts";

/** `k8ts doctor`: what a machine lacks for a cluster. */
export const main = command({
  name: "doctor",
  description: `Checks whether this machine can run the cluster, or the default one if there is none yet: kernel,
packages, disk, memory, limits, address, ports, DNS, firewall and clock. It says what to do about each problem, and
changes nothing. The exit code is 1 if something keeps a cluster from running. For the state of the cluster itself see
k8ts status; for an object that is stuck, k8ts why.`,
  examples: [["Check this machine", "doctor"]],
  flags: clusterFlags,
  async run({ values }) {
    const paths = pathsOf(values);
    const settings = findSettings(paths) ?? plannedSettings(values.name);
    const findings = judgeMachine(await readFacts(paths, settings));
    process.stdout.write(findingsText(findings, paintFor(process.stdout)));
    const bad = findings.filter(({ state }) => state === "bad").length;
    process.stdout.write(`\n${summary(bad, settings.name)}\n`);
    return bad === 0 ? 0 : 1;
  },
});

function summary(bad: number, cluster: string): string {
  if (bad === 0) return `A cluster can run here: ${ownCommand("up", cluster)}`;
  return bad === 1
    ? "One thing keeps a cluster from running here."
    : `${bad} things keep a cluster from running here.`;
}

const marks = { good: "✓", warning: "!", bad: "✗" } as const;
const areaWidth = 10;

/** A line for each finding, and one for each remedy below it. */
function findingsText(findings: readonly Finding[], paint: Paint): string {
  return findings
    .flatMap(({ area, state, text, remedy }) => {
      const mark = state === "warning" ? marks.warning : paint(state, marks[state]);
      const lines = remedy === undefined ? [] : remedy.split("\n");
      const indent = " ".repeat(areaWidth + 4);
      return [
        `${mark} ${area.padEnd(areaWidth)}  ${text}`,
        ...lines.map((line) => `${indent}→ ${line}`),
      ];
    })
    .map((line) => `${line}\n`)
    .join("");
}
