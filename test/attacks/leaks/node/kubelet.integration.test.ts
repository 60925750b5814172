import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { test } from "node:test";
import {
  configMaps,
  namespaces,
  type Pod,
  type PodSpec,
  pods,
  secrets,
  serviceAccounts,
} from "#/api/core/v1.ts";
import { freePort } from "#/testing/free-port.ts";
import {
  containerdProblem,
  startContainerd,
  type TestContainerd,
} from "#/testing/start-containerd.ts";
import { startTlsServer } from "#/testing/start-tls-server.ts";
import { until } from "#/testing/until.ts";
import { Program, writeKubeconfig } from "./program.ts";

const skip = containerdProblem() ?? false;
const namespace = "default";
const nodeName = "leaks";
/** Pods of each form in a series. */
const count = 2;

const settings = (containerd: TestContainerd, port: number) => ({
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  containerRuntimeEndpoint: containerd.endpoint,
  failCgroupV1: false,
  failSwapOn: false,
  cgroupsPerQOS: false,
  enforceNodeAllocatable: [],
  healthzPort: 0,
  port,
  address: "127.0.0.1",
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: "AlwaysAllow" },
  podLogsDir: join(containerd.directory, "logs"),
  crashLoopBackOff: { maxContainerRestartPeriod: "1s" },
  volumeStatsAggPeriod: "1s",
});

/** The forms of Pods, each of which uses other tables of the kubelet. */
const forms: Readonly<Record<string, (image: string, name: string) => Partial<PodSpec>>> = {
  volumes: (image, name) => ({
    containers: [
      {
        name: "main",
        image,
        env: [{ name: "A", valueFrom: { configMapKeyRef: { name, key: "key" } } }],
        volumeMounts: ["config", "secret", "empty", "token", "down"].map((volume) => ({
          name: volume,
          mountPath: `/${volume}`,
        })),
      },
    ],
    volumes: [
      { name: "config", configMap: { name } },
      { name: "secret", secret: { secretName: name } },
      { name: "empty", emptyDir: {} },
      {
        name: "token",
        projected: { sources: [{ serviceAccountToken: { path: "token", audience: name } }] },
      },
      {
        name: "down",
        downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] },
      },
    ],
  }),
  probes: (image) => ({
    containers: [
      {
        name: "main",
        image,
        livenessProbe: { tcpSocket: { port: 1 }, periodSeconds: 1, failureThreshold: 1 },
        readinessProbe: { exec: { command: ["/none"] }, periodSeconds: 1 },
        startupProbe: { httpGet: { port: 1 }, periodSeconds: 1, failureThreshold: 100 },
      },
    ],
  }),
  hooks: (image) => ({
    restartPolicy: "Always",
    containers: [
      {
        name: "main",
        image,
        lifecycle: {
          postStart: { exec: { command: ["/none"] } },
          preStop: { httpGet: { port: 1 } },
        },
      },
    ],
  }),
  crashes: (image) => ({
    initContainers: [{ name: "first", image, command: ["/none"] }],
    containers: [{ name: "main", image }],
  }),
  images: (image, name) => ({
    containers: [
      { name: "main", image },
      { name: "absent", image: `127.0.0.1:1/${name}:1`, imagePullPolicy: "Always" },
    ],
  }),
  "missing volumes": (image, name) => ({
    containers: [{ name: "main", image }],
    volumes: [{ name: "config", configMap: { name: `none-${name}` } }],
  }),
  refused: (image) => ({
    containers: [{ name: "main", image, resources: { requests: { cpu: "100k" } } }],
  }),
};

test("a kubelet keeps nothing of Pods that are gone", { skip }, async () => {
  await using containerd = await startContainerd();
  await using server = await startTlsServer();
  const client = server.secured.api.client();
  for (const name of [namespace, "kube-node-lease"]) {
    await client.create(namespaces, { metadata: { name }, spec: {} }).catch(() => undefined);
  }
  await client.create(serviceAccounts, { metadata: { name: "default", namespace } });
  const port = await freePort();
  const config = join(containerd.directory, "kubelet.json");
  const kubeconfig = join(containerd.directory, "kubeconfig");
  const root = join(containerd.directory, "kubelet");
  mkdirSync(root);
  await writeFile(config, JSON.stringify(settings(containerd, port)));
  await writeKubeconfig(kubeconfig, server);
  await using kubelet = new Program("kubelet", [
    `--config=${config}`,
    `--kubeconfig=${kubeconfig}`,
    `--root-dir=${root}`,
    `--hostname-override=${nodeName}`,
    "--node-ip=127.0.0.1",
  ]);
  const find = (name: string) => client.get(pods, { name, namespace }).catch(() => undefined);

  const start = async (name: string, form: string): Promise<Pod> => {
    await client.create(configMaps, { metadata: { name, namespace }, data: { key: name } });
    await client.create(secrets, { metadata: { name, namespace }, data: {} });
    return client.create(pods, {
      metadata: { name, namespace },
      spec: {
        nodeName,
        hostNetwork: true,
        dnsPolicy: "Default",
        terminationGracePeriodSeconds: 1,
        serviceAccountName: "default",
        automountServiceAccountToken: false,
        ...(forms[form]?.(containerd.image, name) as PodSpec),
      },
    });
  };
  const series = async (prefix: string, names: string[]): Promise<string[]> => {
    const all = names.flatMap((form) =>
      Array.from({ length: count }, (_, index) => ({
        form,
        name: `${prefix}-${form.replace(" ", "-")}-${index}`,
      })),
    );
    const created = await Promise.all(all.map(({ name, form }) => start(name, form)));
    for (const { name } of all) {
      await until(`Pod ${name} has a status`, async () => (await find(name))?.status?.startTime);
    }
    for (const { name } of all.filter(({ form }) => form === "volumes")) {
      await until(`${name} runs`, async () => (await find(name))?.status?.phase === "Running");
      await useServer(port, name);
    }
    for (const { name } of all) {
      await client.delete(pods, { name, namespace });
      await client.delete(configMaps, { name, namespace });
      await client.delete(secrets, { name, namespace });
    }
    for (const { name } of all) {
      await until(`Pod ${name} is gone`, async () => (await find(name)) === undefined);
    }
    return created.map(({ metadata }) => metadata.uid ?? "");
  };

  const run = randomBytes(3).toString("hex");
  await series(`warm${run}`, Object.keys(forms));
  await until("the folders are gone", async () => (await readdir(join(root, "pods"))).length === 0);
  const files = kubelet.openFiles();
  const uids = await series(`leak${run}`, Object.keys(forms));
  const pattern = new RegExp(`leak${run}-[a-z-]*[0-9]|${uids.join("|")}`, "g");
  const living = `living${run}`;
  await start(living, "volumes");
  await until("it runs", async () => (await find(living))?.status?.phase === "Running");
  assert.ok((await kubelet.findTexts(new RegExp(living, "g"))).size > 0, "the search finds it");
  await kubelet.untilForgotten(pattern, () => useServer(port, living));
  await client.delete(pods, { name: living, namespace });
  await until("folders and files are closed", async () => {
    const left = await readdir(join(root, "pods"));
    return left.length === 0 && kubelet.openFiles() <= files + 2;
  });
  const logs = join(containerd.directory, "logs");
  await until("logs are gone", async () => (await readdir(logs)).length === 0);
});

/** Uses the kubelet's server: stats, logs, and sessions that the client breaks off. */
async function useServer(port: number, name: string): Promise<void> {
  const get = (path: string, headers = {}, method = "GET") =>
    new Promise<void>((resolve, reject) => {
      const sent = request(
        { port, path, method, headers, rejectUnauthorized: false, host: "127.0.0.1" },
        (response) => {
          response.resume();
          response.on("close", resolve);
        },
      );
      sent.on("upgrade", (_response, socket) => {
        socket.destroy();
        resolve();
      });
      sent.on("error", reject);
      sent.end();
    });
  const webSocket = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-protocol": "v5.channel.k8s.io",
  };
  await get("/stats/summary");
  await get("/metrics/resource");
  await get(`/containerLogs/${namespace}/${name}/main`);
  await get(`/exec/${namespace}/${name}/main?command=/pause&output=1`, webSocket);
  await get(`/attach/${namespace}/${name}/main?output=1`, webSocket);
  await get("/pods");
}
