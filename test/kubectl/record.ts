/**
 * Records the answers of upstream's kubectl from our API server or the real one:
 * `node test/kubectl/record.ts [SUITE] [--kubectl=PATH] [--real-server]`.
 */
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import type { Recorded } from "./golden-case.ts";
import { type CommandRun, type Outcome, playSuite } from "./play.ts";
import { runReference } from "./run-reference.ts";
import { loadSuites, recordedFile } from "./suites.ts";

const reference = `${homedir()}/.cache/kube-conformance/reference/bin/kubectl`;
const [filter = ""] = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const given = process.argv.find((arg) => arg.startsWith("--kubectl="))?.slice("--kubectl=".length);
const server = process.argv.includes("--real-server") ? runReference : undefined;
/** Limit of a command (ms): one that hangs is killed. */
const limitMs = 20_000;

for (const suite of await loadSuites(filter)) {
  const answers: Recorded[] = [];
  await playSuite(suite, upstream, (answer) => void answers.push(answer), server);
  const text = `[\n${answers.map((answer) => JSON.stringify(answer)).join(",\n")}\n]\n`;
  await writeFile(recordedFile(suite), text);
  process.stdout.write(`${suite.name}: ${answers.length}\n`);
}

function upstream({ args, stdin, env, folder }: CommandRun): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(given ?? reference, args, { env, cwd: folder, timeout: limitMs });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
  });
}
