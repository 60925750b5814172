import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { clusterPaths } from "../base/paths.ts";
import { listCertificates } from "./certificate-list.ts";
import { ensurePki } from "./pki.ts";

const dayMs = 24 * 3600 * 1000;

test("listCertificates() finds those of the server and the kubelet, and what renews each", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-certificates-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const paths = clusterPaths(folder);
  assert.deepEqual(await listCertificates(paths), []);
  const now = systemClock.now();
  const subject = { commonName: "system:node:a", organizations: ["system:nodes"] };
  const spec = { file: "kubelet", authority: "ca", subject, usage: "client auth" } as const;
  await ensurePki(paths.pki, [spec], now);
  mkdirSync(join(paths.kubelet, "pki"), { recursive: true });
  const text = ["kubelet.crt", "kubelet.key"].map((file) => readFileSync(join(paths.pki, file)));
  writeFileSync(join(paths.kubelet, "pki/kubelet-client-current.pem"), Buffer.concat(text));
  const found = await listCertificates(paths);
  const [first, second] = found;
  assert.equal(first?.file, "kubelet/pki/kubelet-client-current.pem");
  assert.equal(first?.renewal, "kubelet");
  assert.deepEqual(
    { ...second, expiresMs: Math.round(((second?.expiresMs ?? 0) - now) / dayMs) },
    {
      file: "pki/kubelet.crt",
      subject: "system:node:a (system:nodes)",
      issuer: "kubernetes",
      expiresMs: 365,
      renewal: "server",
    },
  );
  const authorities = found.filter(({ renewal }) => renewal === "nothing");
  assert.deepEqual(
    authorities.map(({ file }) => file),
    ["pki/ca.crt", "pki/front-proxy-ca.crt", "pki/kubelet-authorities.crt", "pki/kubelet-ca.crt"],
  );
});
