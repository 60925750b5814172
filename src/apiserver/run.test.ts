import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseFlags } from "#/std/flags/flags.ts";
import { TestAuthority } from "#/testing/certificates.ts";
import { freePort } from "#/testing/free-port.ts";
import { apiServerFlags } from "./flags/index.ts";
import { run } from "./run.ts";

const documents = {
  "authentication-config": {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthenticationConfiguration",
    jwt: [
      {
        issuer: { url: "https://192.0.2.1", audiences: ["a"] },
        claimMappings: { username: { claim: "sub", prefix: "" } },
      },
    ],
  },
  "authorization-config": {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthorizationConfiguration",
    authorizers: [{ type: "RBAC", name: "rbac" }],
  },
  "encryption-provider-config": {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [
      {
        resources: ["secrets"],
        providers: [
          {
            secretbox: { keys: [{ name: "key", secret: randomBytes(32).toString("base64") }] },
          },
        ],
      },
    ],
  },
} as const;

/** Files that the server follows, each in a folder of its own below the root, by flag. */
async function writeFiles(root: string): Promise<Readonly<Record<string, string>>> {
  const authority = await TestAuthority.create(root);
  const { certFile, keyFile } = await authority.issue("server");
  const tokens = join(root, "tokens.key");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(tokens, privateKey.export({ type: "sec1", format: "pem" }));
  const sources: Record<string, string> = {
    "tls-cert-file": certFile,
    "tls-private-key-file": keyFile,
    "client-ca-file": authority.caFile,
    "requestheader-client-ca-file": authority.caFile,
    "kubelet-certificate-authority": authority.caFile,
    "kubelet-client-certificate": certFile,
    "kubelet-client-key": keyFile,
    "proxy-client-cert-file": certFile,
    "proxy-client-key-file": keyFile,
    "service-account-key-file": tokens,
    "service-account-signing-key-file": tokens,
  };
  for (const [flag, document] of Object.entries(documents)) {
    sources[flag] = join(root, `${flag}.json`);
    await writeFile(sources[flag], JSON.stringify(document));
  }
  const placed = Object.entries(sources).map(async ([flag, source]) => {
    const file = join(root, flag, "file");
    await mkdir(join(root, flag));
    await copyFile(source, file);
    return [flag, file] as const;
  });
  return Object.fromEntries(await Promise.all(placed));
}

/** The numbers of the folders that this process watches. */
async function watchedFolders(): Promise<Set<number>> {
  const infos = await readdir("/proc/self/fdinfo");
  const texts = await Promise.all(
    infos.map((fd) => readFile(`/proc/self/fdinfo/${fd}`, "utf8").catch(() => "")),
  );
  const found = texts.join("\n").matchAll(/^inotify wd:\S+ ino:([0-9a-f]+)/gm);
  return new Set(Array.from(found, ([, number = ""]) => Number.parseInt(number, 16)));
}

/** The flags whose files are watched. */
async function watched(files: Readonly<Record<string, string>>): Promise<string[]> {
  const numbers = await watchedFolders();
  const flags = await Promise.all(
    Object.entries(files).map(async ([flag, file]) => {
      const { ino } = await stat(join(file, ".."));
      return numbers.has(ino) ? [flag] : [];
    }),
  );
  return flags.flat();
}

test("run() follows the files of its flags, and none of them when it has ended", async () => {
  const root = await mkdtemp(join(tmpdir(), "api-server-"));
  try {
    const files = await writeFiles(root);
    const { values } = parseFlags(apiServerFlags, [
      ...Object.entries(files).map(([flag, file]) => `--${flag}=${file}`),
      "--encryption-provider-config-automatic-reload",
      `--data-dir=${join(root, "data")}`,
      `--secure-port=${await freePort()}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=192.0.2.1",
      "--service-cluster-ip-range=10.0.0.0/16",
      "--service-account-issuer=https://kubernetes.default.svc",
      "--v=0",
    ]);
    const stop = new AbortController();
    const ready = Promise.withResolvers<void>();
    const running = run(values, stop.signal, { onReady: () => ready.resolve() });
    await Promise.race([ready.promise, running]);
    assert.deepEqual((await watched(files)).sort(), Object.keys(files).sort());
    stop.abort();
    await running;
    assert.deepEqual(await watched(files), []);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
