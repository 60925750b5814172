import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { selfSubjectReviews } from "#/api/authentication/v1.ts";
import { startTlsServer } from "#/testing/start-tls-server.ts";
import { Client } from "../client.ts";
import type { TransportOptions } from "./connection-options.ts";
import { formatKubeconfig } from "./format-kubeconfig.ts";
import { findInCluster } from "./in-cluster.ts";
import type { Kubeconfig } from "./kubeconfig.ts";
import { kubeconfigPaths, loadKubeconfig } from "./kubeconfig-files.ts";
import { parseKubeconfig } from "./parse-kubeconfig.ts";
import { type KubeconfigOverrides, selectContext } from "./select-context.ts";
import { openTransport } from "./transport-for.ts";
import { writeKubeconfig } from "./write-kubeconfig.ts";

const config = await parseKubeconfig(`
apiVersion: v1
kind: Config
current-context: one
future: {kept: true}
clusters:
- name: here
  cluster: {server: "https://here:6443", tls-server-name: inner, certificate-authority-data: QQ==, later: 1}
- name: there
  cluster: {server: "https://there:6443"}
users:
- name: me
  user: {token: secret}
- name: you
  user: {username: you, password: x}
contexts:
- name: one
  context: {cluster: here, user: me, namespace: shop}
- name: two
  context: {cluster: there, user: you}
- name: lost
  context: {cluster: nowhere, user: nobody}
`);

const selections: readonly (readonly [string, KubeconfigOverrides, object])[] = [
  [
    "the current context",
    {},
    {
      name: "one",
      cluster: config.clusters?.[0]?.cluster,
      user: { token: "secret" },
      namespace: "shop",
    },
  ],
  [
    "another context",
    { context: "two" },
    {
      name: "two",
      cluster: { server: "https://there:6443" },
      user: { username: "you", password: "x" },
      namespace: "default",
    },
  ],
  [
    "parts of a context",
    { cluster: "there", user: "you", namespace: "ns" },
    {
      name: "one",
      cluster: { server: "https://there:6443" },
      user: { username: "you", password: "x" },
      namespace: "ns",
    },
  ],
  [
    "flags over all",
    {
      clusterInfo: { server: "https://other", "insecure-skip-tls-verify": true },
      userInfo: { token: "given", username: "" },
    },
    {
      name: "one",
      cluster: { server: "https://other", "insecure-skip-tls-verify": true, later: 1 },
      user: { token: "given" },
      namespace: "shop",
    },
  ],
];

for (const [name, overrides, expected] of selections) {
  test(`selectContext() takes ${name}`, () =>
    assert.deepEqual(selectContext(config, overrides), expected));
}

const empty =
  "invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable";
const refusals: readonly (readonly [Kubeconfig, KubeconfigOverrides, string])[] = [
  [{}, {}, empty],
  [config, { context: "none" }, 'context "none" does not exist'],
  [config, { cluster: "none" }, 'cluster "none" does not exist'],
  [config, { user: "none" }, 'auth info "none" does not exist'],
  [config, { context: "lost" }, empty],
  [
    { "current-context": "gone" },
    {},
    "invalid configuration: [context was not found for specified context: gone, cluster has no server defined]",
  ],
  [
    config,
    { userInfo: { "client-certificate": "/no/such.crt", "client-key": "/no/such.key" } },
    "invalid configuration: [unable to read client-cert /no/such.crt for me due to open /no/such.crt: no such file or directory, unable to read client-key /no/such.key for me due to open /no/such.key: no such file or directory]",
  ],
];

for (const [given, overrides, message] of refusals) {
  test(`selectContext() throws: ${message}`, () => {
    assert.throws(() => selectContext(given, overrides), { message });
  });
}

async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "k8ts-kubeconfig-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test("loadKubeconfig() merges files: the first definition wins", async () => {
  await using folder = await temporaryFolder();
  const [first, second] = [join(folder.path, "first"), join(folder.path, "second")];
  await writeFile(first, 'contexts: [{name: c, context: {cluster: "1"}}]\nusers: null\n');
  await writeFile(
    second,
    "current-context: c\ncontexts: [{name: c, context: {cluster: '2'}}]\nclusters: [{name: '1', cluster: {server: s, certificate-authority: ca.crt}}]\n",
  );
  const KUBECONFIG = [first, join(folder.path, "missing"), second, first].join(":");
  const { config: merged, files } = await loadKubeconfig("", { KUBECONFIG });
  assert.deepEqual(merged, {
    apiVersion: "v1",
    kind: "Config",
    preferences: {},
    clusters: [
      {
        name: "1",
        cluster: { server: "s", "certificate-authority": join(folder.path, "ca.crt") },
      },
    ],
    users: [],
    contexts: [{ name: "c", context: { cluster: "1" } }],
    "current-context": "c",
  });
  assert.deepEqual(
    files.map(({ path }) => path),
    [first, second],
  );
});

test("loadKubeconfig() fails if the named file does not exist", async () => {
  await assert.rejects(loadKubeconfig("/no/such/file"), {
    message: "stat /no/such/file: no such file or directory",
  });
  assert.deepEqual(kubeconfigPaths({ HOME: "/home/me" }), ["/home/me/.kube/config"]);
});

test("writeKubeconfig() keeps unknown fields, and restricts the file to its owner", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "deep", "config");
  await writeKubeconfig(path, config);
  assert.deepEqual(await parseKubeconfig(await readFile(path, "utf8")), config);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal(
    formatKubeconfig({ users: [{ name: "a", user: {} }], apiVersion: "v1" }),
    "apiVersion: v1\nusers:\n- name: a\n  user: {}\n",
  );
});

test("findInCluster() reads the service account of a pod", async () => {
  await using folder = await temporaryFolder();
  const environment = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  assert.equal(findInCluster(environment, folder.path), undefined);
  for (const [name, text] of [
    ["token", "t"],
    ["ca.crt", "c"],
    ["namespace", "shop\n"],
  ] as const) {
    await writeFile(join(folder.path, name), text);
  }
  assert.deepEqual(findInCluster(environment, folder.path), {
    name: "",
    cluster: {
      server: "https://[fd00::1]:443",
      "certificate-authority": join(folder.path, "ca.crt"),
    },
    user: { tokenFile: join(folder.path, "token") },
    namespace: "shop",
  });
});

test("openTransport() authenticates as the kubeconfig defines", async (t) => {
  await using server = await startTlsServer();
  await using folder = await temporaryFolder();
  const caFile = server.authority.caFile;
  const clusters = [
    { name: "c", cluster: { server: server.url, "certificate-authority": caFile } },
  ];
  const contexts = [{ name: "x", context: { cluster: "c", user: "u" } }];
  const whoIs = async (
    user: object,
    options: TransportOptions = {},
  ): Promise<string | undefined> => {
    const users = [{ name: "u", user }];
    const content = { clusters, contexts, users, "current-context": "x" };
    const kubeconfig = join(folder.path, "config");
    await writeFile(kubeconfig, JSON.stringify(content));
    await using transport = await openTransport({ kubeconfig }, options);
    const review = await new Client(transport).create(selfSubjectReviews, { metadata: {} });
    return review.status?.userInfo?.username;
  };
  await t.test("by certificate data", async () => {
    const { certFile, keyFile } = await server.authority.issue("carol");
    const data = async (file: string) => (await readFile(file)).toString("base64");
    const user = {
      "client-certificate-data": await data(certFile),
      "client-key-data": await data(keyFile),
    };
    assert.equal(await whoIs(user), "carol");
  });
  await t.test("by a token file that changes", async () => {
    const tokenFile = join(folder.path, "token");
    await writeFile(tokenFile, "alicetoken\n");
    assert.equal(await whoIs({ tokenFile }), "alice");
  });
  await t.test("as another user", async () => {
    assert.equal(await whoIs({ token: "admintoken", as: "erin", "as-groups": ["a", "b"] }), "erin");
  });
  await t.test("by a plugin", async () => {
    const script = `cat <<EOF
{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"bobtoken"}}
EOF`;
    const plain = { apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never" };
    const exec = { ...plain, command: "sh", args: ["-c", script] };
    assert.equal(await whoIs({ exec }), "bob");
    await assert.rejects(whoIs({ exec: { ...plain, command: "no-such-program" } }), {
      message: /^getting credentials: exec: executable no-such-program not found\n/,
    });
  });
  await t.test("by a plugin that prompts", async () => {
    const script = `case "$KUBERNETES_EXEC_INFO" in *'"interactive":true'*) who=alice;; *) who=bob;; esac
echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"'$who'token"}}'`;
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "sh",
      args: ["-c", script],
    };
    const asking = { exec: { ...exec, interactiveMode: "IfAvailable" } };
    const always = { exec: { ...exec, interactiveMode: "Always" } };
    const taken = { isInteractive: true, stdinReader: () => "used by a test" };
    assert.equal(await whoIs(asking, { isInteractive: true }), "alice");
    assert.equal(await whoIs(asking, taken), "bob");
    assert.equal(await whoIs(always, { isInteractive: true }), "alice");
    const why =
      "getting credentials: exec plugin cannot support interactive mode: standard input is";
    await assert.rejects(whoIs(always, taken), { message: `${why} unavailable: used by a test` });
    await assert.rejects(whoIs(always, { ...taken, isInteractive: false }), {
      message: `${why} not a terminal`,
    });
  });
  await t.test("by a component's flags", async () => {
    const path = join(folder.path, "kubeconfig");
    const users = [{ name: "u", user: { token: "admintoken" } }];
    await writeKubeconfig(path, { clusters, contexts, users, "current-context": "x" });
    await using transport = await openTransport({ kubeconfig: path });
    const { status } = await transport.request({ method: "GET", path: "/api/v1/namespaces" });
    assert.equal(status, 200);
    await assert.rejects(openTransport({}), /unable to load in-cluster configuration/);
  });
});
