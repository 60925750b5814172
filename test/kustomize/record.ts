/** Records upstream's kubectl's output for the trees: `node test/kustomize/record.ts KUBECTL [FILE]`. */
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import type { CommandRun, Outcome } from "../kubectl/play.ts";
import { loadCases } from "./load-cases.ts";
import { runCase } from "./run-case.ts";
import type { TreeAnswer } from "./tree-case.ts";

const [program = "kubectl", only] = process.argv.slice(2);

for (const { name, cases, recorded } of await loadCases()) {
  if (only !== undefined && only !== name) continue;
  const answers: TreeAnswer[] = [];
  for (const each of cases) answers.push(await runCase(each, upstream));
  const text = `[\n${answers.map((answer) => JSON.stringify(answer)).join(",\n")}\n]\n`;
  await writeFile(recorded, text);
  process.stdout.write(`${name}: ${answers.length}\n`);
}

function upstream({ args, env, folder }: CommandRun): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}
