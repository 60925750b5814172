import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type NullObject, nullObjects } from "#/testing/null-objects.ts";
import { request } from "../parity/cases/certificates.ts";
import { NullServer } from "./null-server.ts";
import { ourKubectl } from "./our-kubectl.ts";
import type { Outcome } from "./play.ts";

/** Texts of errors that are thrown by JavaScript and not by the cluster. */
const mistake =
  /Cannot read properties|is not iterable|is not a function|TypeError|Cannot convert|\(node:/;

/** Values that describe parses, where upstream's test value is a plain word. */
function makePlausible(object: Record<string, unknown>): void {
  const spec = object["spec"] as Record<string, unknown> | undefined;
  if (object["kind"] === "CertificateSigningRequest" && spec?.["request"] !== undefined) {
    spec["request"] = Buffer.from(request).toString("base64");
  }
}

const objects = [...nullObjects(makePlausible)].filter(
  ({ resource }) => resource.verbs.includes("get") && resource.group !== "metrics.k8s.io",
);
const topmost = objects.filter(({ path }) => path === "* at depth 0");

async function withServer(
  body: (run: (shown: NullObject, line: readonly string[]) => Promise<Outcome>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "kubectl-null-"));
  await using server = await NullServer.start(topmost);
  try {
    await body((shown, line) => {
      server.shown = shown;
      return ourKubectl({
        args: ["--server", server.url, "-n", "n", ...line],
        stdin: "",
        env: { HOME: folder, PATH: "/usr/bin:/bin" },
        folder,
      });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const typeOf = ({ resource: { name, version, group } }: NullObject): string =>
  group === "" ? name : `${name}.${version}.${group}`;

/** The fault of an answer; undefined if there is none. */
function faultOf(
  line: readonly string[],
  { path }: NullObject,
  { stdout, stderr }: Outcome,
): string | undefined {
  const wrong = `${stdout}${stderr}`.split("\n").find((text) => mistake.test(text));
  return wrong && `kubectl ${line.join(" ")} with null at ${path}: ${wrong}`;
}

test("kubectl describe treats a null list, map or time of any kind as empty", async () => {
  const faults: string[] = [];
  await withServer(async (run) => {
    for (const shown of objects) {
      const line = ["describe", typeOf(shown), "x"];
      const outcome = await run(shown, line);
      const fault = faultOf(line, shown, outcome);
      if (fault) faults.push(fault);
      else if (outcome.code !== 0 && !outcome.stderr.includes("values set can't be empty"))
        faults.push(`${line.join(" ")}, ${shown.path}: ${outcome.stderr}`);
    }
  });
  assert.deepEqual(faults, []);
});

const lines: readonly ((type: string) => readonly string[])[] = [
  (type) => ["get", type],
  (type) => ["get", type, "-o", "wide", "--show-labels"],
  (type) => ["get", type, "--sort-by", "{.metadata.labels}"],
  (type) => ["get", type, "--sort-by", "{.metadata.name}"],
  (type) => ["get", type, "-o", "name"],
  (type) => ["get", type, "-o", "custom-columns=A:.metadata.labels,B:.spec.x[0]"],
  (type) => ["get", type, "-o", "yaml"],
  (type) => ["label", type, "x", "a=b", "--dry-run=client"],
  (type) => ["annotate", type, "x", "--list"],
  (type) => ["rollout", "status", `${type}/x`, "--watch=false"],
  (type) => ["rollout", "history", `${type}/x`],
  (type) => ["set", "image", `${type}/x`, "*=y", "--dry-run=client"],
  (type) => ["set", "env", `${type}/x`, "--list"],
  (type) => ["set", "env", `${type}/x`, "A=b", "--dry-run=client"],
  (type) => ["set", "resources", `${type}/x`, "--limits=cpu=1", "--dry-run=client"],
  (type) => ["expose", `${type}/x`, "--port=1", "--dry-run=client"],
  (type) => ["taint", type, "x", "a=b:NoSchedule", "--dry-run=client"],
  (type) => ["explain", type],
];

test("other commands accept null lists, maps and times of any kind, too", async () => {
  const faults: string[] = [];
  await withServer(async (run) => {
    for (const shown of objects.filter(({ path }) => path.startsWith("* "))) {
      for (const lineFor of lines) {
        const line = lineFor(typeOf(shown));
        const fault = faultOf(line, shown, await run(shown, line));
        if (fault) faults.push(fault);
      }
    }
  });
  assert.deepEqual(faults, []);
});

test("kubectl get -o json shows null as the server has sent it", async () => {
  const shown = topmost.find(({ kind }) => kind === "EndpointSlice");
  assert.ok(shown);
  await withServer(async (run) => {
    const { stdout } = await run(shown, ["get", typeOf(shown), "x", "-o", "json"]);
    const { endpoints, ports } = JSON.parse(stdout) as Record<string, unknown>;
    assert.deepEqual({ endpoints, ports }, { endpoints: null, ports: null });
  });
});
