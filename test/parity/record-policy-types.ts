/** Records the real kube-controller-manager's warnings for policies: `node test/parity/record-policy-types.ts`. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "#/testing/until.ts";
import { definitions } from "./policy-types/definitions.ts";
import { policies, settled } from "./policy-types.ts";
import { startReference } from "./reference.ts";

const program = join(homedir(), ".cache/kube-conformance/reference/bin/kube-controller-manager");
const path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";

interface Stored {
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: unknown };
}

await using target = await startReference();
const directory = await mkdtemp(join(tmpdir(), "policy-types-"));
for (const definition of definitions) {
  await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
}
for (const plural of ["widgets", "looses"]) {
  await until(`${plural} are published`, async () => {
    const document = await target.send({
      method: "GET",
      path: "/openapi/v3/apis/types.example.com/v1",
      headers: {},
    });
    return document.text.includes(`/${plural}/`);
  });
}
for (const { name, spec } of policies) await send("POST", path, { metadata: { name }, spec });
const manager = await startManager();
try {
  const lines: string[] = [];
  for (const { name } of policies) {
    let policy: Stored = {};
    await until(
      `${name} is checked`,
      async () => {
        policy = (await send("GET", `${path}/${name}`)) as Stored;
        return policy.status?.observedGeneration === 1;
      },
      { limitMs: 120_000 },
    );
    lines.push(`  ${JSON.stringify(name)}: ${JSON.stringify(settled(policy.status))}`);
  }
  const file = join(import.meta.dirname, "recorded/policy-types.json");
  await writeFile(file, `{\n${lines.join(",\n")}\n}\n`);
} finally {
  manager.kill("SIGKILL");
  await rm(directory, { recursive: true, force: true });
}

async function startManager() {
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(target.url ?? "", target.token ?? "")));
  return spawn(
    program,
    [
      `--kubeconfig=${kubeconfig}`,
      "--controllers=validatingadmissionpolicy-status-controller",
      "--leader-elect=false",
      "--secure-port=0",
    ],
    { stdio: "inherit" },
  );
}

function kubeconfigOf(server: string, token: string): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
}

async function send(method: string, url: string, body?: object): Promise<unknown> {
  const { status, text } = await target.send({
    method,
    path: url,
    headers: { "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (status >= 300) throw new Error(text);
  return JSON.parse(text);
}
