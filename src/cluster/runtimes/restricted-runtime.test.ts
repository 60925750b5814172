import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runProgram } from "#/std/process/run-program.ts";
import { restrictedRuntime } from "./restricted-runtime.ts";

const own = readFileSync("/proc/self/oom_score_adj", "utf8").trim();
const quoted = JSON.stringify('"oomScoreAdj":-5');
const cases = [
  { name: "protection", config: `{"process":{"oomScoreAdj":-998}}`, score: `"oomScoreAdj":${own}` },
  {
    name: "no protection",
    config: `{"process":{"oomScoreAdj":1000}}`,
    score: `"oomScoreAdj":1000`,
  },
  {
    name: "limits of huge pages at the end",
    config: `{"resources":{"pids":{"limit":1},"hugepageLimits":[{"pageSize":"2MB","limit":0}]}}`,
    score: `{"resources":{"pids":{"limit":1}}}`,
  },
  {
    name: "limits on several lines",
    config: `{\n\t"hugepageLimits": [\n\t\t{\n\t\t\t"limit": 0\n\t\t}\n\t],\n\t"pids": {}\n}`,
    score: `{  "pids": {} }`,
  },
  {
    name: "limits of huge pages at the start",
    config: `{"resources":{"hugepageLimits":[{"pageSize":"2MB","limit":0}],"pids":{"limit":1}}}`,
    score: `{"resources":{"pids":{"limit":1}}}`,
  },
  { name: "text like it", config: `{"process":{"env":[${quoted}]}}`, score: quoted },
];
const forms = [
  (bundle: string) => ["--root", "/x", "create", "--bundle", bundle, "id"],
  (bundle: string) => ["create", `--bundle=${bundle}`, "id"],
  (bundle: string) => ["create", "-b", bundle, "id"],
];

for (const { name, config, score } of cases) {
  for (const form of forms) {
    test(`restrictedRuntime() with ${name} as ${form("B").join(" ")}`, async () => {
      const bundle = mkdtempSync(join(tmpdir(), "k8ts-bundle-"));
      try {
        writeFileSync(join(bundle, "config.json"), config);
        const script = join(bundle, "runtime");
        writeFileSync(
          script,
          restrictedRuntime("/bin/echo", { mayProtect: false, hasHugetlb: false }),
          { mode: 0o755 },
        );
        const args = form(bundle);
        assert.equal(await runProgram(script, args), `${args.join(" ")}\n`);
        assert.ok(readFileSync(join(bundle, "config.json"), "utf8").includes(score));
      } finally {
        rmSync(bundle, { recursive: true });
      }
    });
  }
}
