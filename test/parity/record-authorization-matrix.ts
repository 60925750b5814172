/**
 * Records the real kube-apiserver's answers to the authorization matrix:
 * `node test/parity/record-authorization-matrix.ts`.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readBootstrapPolicy } from "#/apiserver/auth/rbac/bootstrap-policy.ts";
import { pack, type Subject, subjects, userOf, verbs } from "./authorization-matrix.ts";
import { startReference, type Target } from "./reference.ts";

const atOnce = 16;
const settleMs = 3_000;

await using target = await startReference();
// Upstream's informers do not report when they are up to date; only recording waits.
await sleep(settleMs);
const roles = readBootstrapPolicy().clusterroles.map(({ metadata }) => metadata.name ?? "");
const group = "/apis/rbac.authorization.k8s.io/v1";
for (const role of roles) {
  await post(target, `${group}/clusterrolebindings`, {
    metadata: { name: userOf(role) },
    subjects: [{ kind: "User", name: userOf(role) }],
    roleRef: { kind: "ClusterRole", name: role },
  });
}
// Upstream's informers do not report when they are up to date; only recording waits.
await sleep(settleMs);
const questions = subjects().flatMap((subject) => verbs.map((verb) => ({ subject, verb })));
const lines: string[] = [];
for (const role of roles) {
  const answers: boolean[] = [];
  for (let from = 0; from < questions.length; from += atOnce) {
    const batch = questions.slice(from, from + atOnce);
    answers.push(
      ...(await Promise.all(batch.map(({ subject, verb }) => ask(target, role, subject, verb)))),
    );
  }
  lines.push(`${JSON.stringify(role)}: ${JSON.stringify(pack(answers))}`);
}
const file = join(import.meta.dirname, "recorded/authorization-matrix.json");
await writeFile(file, `{\n${lines.join(",\n")}\n}\n`);

async function ask(server: Target, role: string, subject: Subject, verb: string) {
  const answer = await post(server, "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
    spec: { user: userOf(role), resourceAttributes: { ...subject, verb } },
  });
  return (answer as { status: { allowed: boolean } }).status.allowed;
}

async function post(server: Target, path: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const { status, text } = await server.send({
    method: "POST",
    path,
    headers,
    body: JSON.stringify(body),
  });
  if (status !== 201) throw new Error(text);
  return JSON.parse(text);
}
