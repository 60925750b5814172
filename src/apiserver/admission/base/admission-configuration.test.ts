import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readAdmissionConfiguration } from "./admission-configuration.ts";

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "admission-"));
});
after(() => rm(directory, { recursive: true }));

async function read(text: string): Promise<object> {
  const file = join(directory, "config.yaml");
  await writeFile(file, text);
  return Object.fromEntries(await readAdmissionConfiguration(file));
}

test("readAdmissionConfiguration() reads inline configurations and those in files beside it", async () => {
  await writeFile(join(directory, "other.yaml"), "b: 2\n");
  const text = `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: A
  configuration: {a: 1}
- name: B
  path: other.yaml
- name: C
`;
  assert.deepEqual(await read(text), { A: { a: 1 }, B: { b: 2 }, C: undefined });
});

test("readAdmissionConfiguration() reads the bare file of a legacy plugin", async () => {
  const file = { podNodeSelectorPluginConfig: { n: "a=b" } };
  assert.deepEqual(await read(JSON.stringify(file)), {
    ImagePolicyWebhook: file,
    PodNodeSelector: file,
  });
});

test("readAdmissionConfiguration() refuses anything else", async () => {
  await assert.rejects(read("kind: Pod\n"), /holds no AdmissionConfiguration/);
  await assert.rejects(
    readAdmissionConfiguration(join(directory, "none")),
    /unable to read admission control configuration/,
  );
});
