import type { Area } from "../case.ts";
import { container, long, pod, tryPods, withContainers, withSpecs } from "./pod-bodies.ts";

const http = { path: "/", port: 80 };
const env = (...vars: object[]) => ({ env: vars });
const from = (valueFrom: object, rest: object = {}) => env({ name: "A", valueFrom, ...rest });
const init = (changes: object) => pod({ initContainers: [container({ name: "i", ...changes })] });
const resources = (limits: object | undefined, requests?: object, claims?: object[]) => ({
  resources: { limits, requests, claims },
});

/** Containers of all kinds, mostly invalid ones. */
export const podContainers: Area = {
  name: "pod-containers",
  cases: [
    tryPods("names and images", [
      ...withSpecs(
        { containers: [] },
        { containers: undefined },
        { containers: [container(), container()] },
      ),
      ...withContainers(
        { name: "" },
        { name: "A_b" },
        { name: "a.b" },
        { name: long(64) },
        { image: "" },
        { image: " example.com/i" },
        { imagePullPolicy: "Sometimes" },
        { terminationMessagePolicy: "Never" },
        { image: "UPPER/CASE" },
        { image: "i" },
        { image: "i:latest" },
        { image: `i@sha256:${"0".repeat(64)}` },
        { image: `i:latest@sha256:${"0".repeat(64)}` },
        { image: "localhost:5000/i" },
        { image: "i@sha256:00" },
      ),
    ]),
    tryPods("ports", [
      ...withContainers(
        { ports: [{ containerPort: 0 }] },
        { ports: [{ containerPort: 70000 }] },
        { ports: [{ containerPort: 80, hostPort: -1 }] },
        { ports: [{ containerPort: 80, protocol: "ICMP" }] },
        { ports: [{ containerPort: 80, name: "A" }] },
        { ports: [{ containerPort: 80, name: "1" }] },
        { ports: [{ containerPort: 80, name: "a--b" }] },
        { ports: [{ containerPort: 80, name: "-a" }] },
        {
          ports: [
            { containerPort: 80, name: "a" },
            { containerPort: 81, name: "a" },
          ],
        },
        {
          ports: [
            { containerPort: 80, hostPort: 8080 },
            { containerPort: 81, hostPort: 8080 },
          ],
        },
        { ports: [{ containerPort: 80 }, { containerPort: 80 }] },
        { ports: [{ containerPort: 80, hostIP: "1.2.3.4" }] },
        { ports: [{ containerPort: 80, hostPort: 1 }, { containerPort: 80 }] },
        {
          ports: [
            { containerPort: 80, hostPort: 1 },
            { containerPort: 80, hostPort: 1, hostIP: "1.2.3.4" },
          ],
        },
      ),
      pod({
        containers: [
          container({ ports: [{ containerPort: 80, name: "a" }] }),
          container({ name: "d", ports: [{ containerPort: 81, name: "a" }] }),
        ],
      }),
      pod({
        hostNetwork: true,
        containers: [container({ ports: [{ containerPort: 80, hostPort: 81 }] })],
      }),
      pod({ hostNetwork: true, containers: [container({ ports: [{ containerPort: 80 }] })] }),
    ]),
    tryPods(
      "env",
      withContainers(
        env({ name: "" }),
        env({ name: "A=B" }),
        env({ name: "1 a.b" }),
        env({ name: "é" }),
        env({ name: "A" }, { name: "A", value: "$(A)b" }),
        env({ name: "A" }, { name: "A", value: "b" }),
        from({}),
        from({ fieldRef: { fieldPath: "metadata.name" } }, { value: "x" }),
        from({ fieldRef: { fieldPath: "metadata.name" }, secretKeyRef: { name: "s", key: "k" } }),
        from({ fieldRef: { fieldPath: "" } }),
        from({ fieldRef: { fieldPath: "spec.foo" } }),
        from({ fieldRef: { fieldPath: "metadata.labels" } }),
        from({ fieldRef: { fieldPath: "metadata.labels['a b']" } }),
        from({ fieldRef: { fieldPath: "metadata.annotations['A/B']" } }),
        from({ fieldRef: { fieldPath: "spec.nodeName['a']" } }),
        from({ fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } }),
        from({ resourceFieldRef: { resource: "limits.gpu" } }),
        from({ resourceFieldRef: { resource: "" } }),
        from({ resourceFieldRef: { resource: "limits.cpu", divisor: "2" } }),
        from({ resourceFieldRef: { resource: "requests.memory", divisor: "3Mi" } }),
        from({ resourceFieldRef: { resource: "limits.ephemeral-storage", divisor: "7" } }),
        from({ resourceFieldRef: { resource: "limits.hugepages-2Mi", divisor: "7" } }),
        from({ resourceFieldRef: { resource: "limits.memory" } }),
        from({ configMapKeyRef: { name: "", key: "" } }),
        from({ configMapKeyRef: { name: "A", key: "a/b" } }),
        from({ secretKeyRef: { name: "s", key: ".." } }),
        from({ fileKeyRef: { volumeName: "", path: "", key: "" } }),
        from({ fileKeyRef: { volumeName: "x", path: "../a", key: "k=" } }),
        { envFrom: [{}] },
        { envFrom: [{ prefix: "=", configMapRef: { name: "" } }] },
        { envFrom: [{ configMapRef: { name: "A" }, secretRef: { name: "b" } }] },
      ),
    ),
    tryPods("mounts and devices", [
      ...withContainers(
        { volumeMounts: [{ name: "", mountPath: "" }] },
        { volumeMounts: [{ name: "x", mountPath: "/a" }] },
        { volumeDevices: [{ name: "", devicePath: "" }] },
        { volumeDevices: [{ name: "x", devicePath: "/a" }] },
      ),
      ...[
        {
          volumeMounts: [
            { name: "v", mountPath: "/a" },
            { name: "v", mountPath: "/a" },
          ],
        },
        { volumeMounts: [{ name: "v", mountPath: "/a", subPath: "/b" }] },
        { volumeMounts: [{ name: "v", mountPath: "/a", subPath: "b/../c", subPathExpr: "../x" }] },
        { volumeMounts: [{ name: "v", mountPath: "/a", mountPropagation: "Bidirectional" }] },
        { volumeMounts: [{ name: "v", mountPath: "/a", mountPropagation: "Up" }] },
        { volumeMounts: [{ name: "v", mountPath: "/a", recursiveReadOnly: "Enabled" }] },
        { volumeMounts: [{ name: "v", mountPath: "/a", recursiveReadOnly: "Maybe" }] },
        {
          volumeMounts: [
            {
              name: "v",
              mountPath: "/a",
              readOnly: true,
              recursiveReadOnly: "IfPossible",
              mountPropagation: "HostToContainer",
            },
          ],
        },
        { volumeMounts: [{ name: "v", mountPath: "/a", bindMountOptions: ["noexec"] }] },
        { volumeDevices: [{ name: "v", devicePath: "/dev/x" }] },
        { volumeDevices: [{ name: "p", devicePath: "/dev/../x" }] },
        {
          volumeDevices: [
            { name: "p", devicePath: "/a" },
            { name: "p", devicePath: "/a" },
          ],
        },
        {
          volumeMounts: [{ name: "p", mountPath: "/a" }],
          volumeDevices: [{ name: "p", devicePath: "/a" }],
        },
      ].map((change) =>
        pod({
          containers: [container(change)],
          volumes: [{ name: "v" }, { name: "p", persistentVolumeClaim: { claimName: "c" } }],
        }),
      ),
    ]),
    tryPods(
      "probes",
      withContainers(
        { livenessProbe: {} },
        { livenessProbe: { exec: {} } },
        { livenessProbe: { exec: { command: ["a"] }, httpGet: http } },
        { livenessProbe: { httpGet: http, successThreshold: 2 } },
        {
          readinessProbe: { httpGet: http, successThreshold: 2, terminationGracePeriodSeconds: 5 },
        },
        {
          startupProbe: {
            httpGet: http,
            successThreshold: 2,
            failureThreshold: -1,
            periodSeconds: -1,
          },
        },
        { livenessProbe: { httpGet: http, initialDelaySeconds: -1, timeoutSeconds: -1 } },
        { livenessProbe: { httpGet: http, terminationGracePeriodSeconds: 0 } },
        { livenessProbe: { httpGet: { port: 0 } } },
        { livenessProbe: { httpGet: { port: "bad_name" } } },
        { livenessProbe: { httpGet: { port: "" } } },
        { livenessProbe: { httpGet: { ...http, scheme: "ftp" } } },
        { livenessProbe: { httpGet: { ...http, httpHeaders: [{ name: "a b", value: "c" }] } } },
        { livenessProbe: { httpGet: { ...http, protocol: "HTTP2" } } },
        { livenessProbe: { tcpSocket: { port: 70000 } } },
        { livenessProbe: { grpc: { port: 0 } } },
        { livenessProbe: { grpc: { port: 1, mode: "TLS" } } },
        { lifecycle: { postStart: {} } },
        { lifecycle: { preStop: { sleep: { seconds: 31 } } } },
        { lifecycle: { preStop: { sleep: { seconds: -1 } } } },
        { lifecycle: { preStop: { sleep: { seconds: 1 }, exec: { command: ["a"] } } } },
        { lifecycle: { stopSignal: "SIGTERM" } },
      ),
    ),
    tryPods("resources", [
      ...withContainers(
        resources({ cpu: "-1" }),
        resources({ cpu: "1" }, { cpu: "2" }),
        resources({ memory: "1.5" }),
        resources({ memory: "100m" }, { "ephemeral-storage": "1m" }),
        resources({ cpu: "0.0001" }),
        resources({ "a b": "1" }),
        resources({ foo: "1" }),
        resources({ pods: "1" }),
        resources({ "example.com/gpu": "1" }),
        resources({ "example.com/gpu": "1.5" }),
        resources({ "example.com/gpu": "2" }, { "example.com/gpu": "1" }),
        resources(undefined, { "example.com/gpu": "1" }),
        resources({ "requests.example.com/gpu": "1" }),
        resources({ "kubernetes.io/foo": "1" }),
        resources({ "hugepages-2Mi": "2Mi" }),
        resources({ "hugepages-2Mi": "3Mi", cpu: "1" }),
        resources({ "hugepages-x": "3Mi", cpu: "1" }),
        resources({ "hugepages-2Mi": "4Mi", cpu: "1" }, { "hugepages-2Mi": "2Mi" }),
        resources(undefined, undefined, [{ name: "" }]),
        resources(undefined, undefined, [{ name: "x" }]),
        { resizePolicy: [{ resourceName: "disk", restartPolicy: "Maybe" }] },
        { resizePolicy: [{ resourceName: "", restartPolicy: "" }] },
        {
          resizePolicy: [
            { resourceName: "cpu", restartPolicy: "NotRequired" },
            { resourceName: "cpu", restartPolicy: "RestartContainer" },
          ],
        },
      ),
      pod({
        restartPolicy: "Never",
        containers: [
          container({ resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] }),
        ],
      }),
      pod({
        resourceClaims: [{ name: "y", resourceClaimName: "r" }],
        containers: [
          container(
            resources(undefined, undefined, [
              { name: "y", request: "A" },
              { name: "y", request: "b" },
              { name: "y", request: "b" },
              { name: "y" },
              { name: "z" },
            ]),
          ),
        ],
      }),
    ]),
    tryPods("restart rules", [
      ...withContainers(
        { restartPolicy: "Sometimes" },
        { restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [1] } }] },
        { restartPolicy: "Never", restartPolicyRules: [{ action: "Stop" }] },
        {
          restartPolicy: "Never",
          restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "Is" } }],
        },
        {
          restartPolicy: "Never",
          restartPolicyRules: Array.from({ length: 21 }, () => ({
            action: "Restart",
            exitCodes: { operator: "In", values: [1] },
          })),
        },
        {
          restartPolicy: "Never",
          restartPolicyRules: [
            { action: "RestartAllContainers", exitCodes: { operator: "In", values: [1] } },
          ],
        },
      ),
      init({ restartPolicyRules: [{ action: "Restart" }] }),
      init({ restartPolicy: "Maybe" }),
      init({ restartPolicy: "Always", restartPolicyRules: [{ action: "x" }] }),
    ]),
    tryPods("init containers", [
      init({ name: "c" }),
      init({
        livenessProbe: { httpGet: http },
        lifecycle: { preStop: { exec: { command: ["a"] } } },
      }),
      init({
        restartPolicy: "Always",
        livenessProbe: { httpGet: { port: 0 } },
        lifecycle: { preStop: {} },
      }),
      init({
        ports: [
          { containerPort: 1, hostPort: 1 },
          { containerPort: 2, hostPort: 1 },
        ],
      }),
      init({ resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] }),
      init({ image: " x" }),
      pod({ ephemeralContainers: [container({ name: "e" })] }),
      pod({
        ephemeralContainers: [
          container({
            name: "c",
            targetContainerName: "nobody",
            ports: [{ containerPort: 1 }],
            resources: { limits: { cpu: "1" } },
            livenessProbe: { httpGet: http },
            volumeMounts: [{ name: "v", mountPath: "/a", subPath: "b" }],
          }),
        ],
        volumes: [{ name: "v" }],
      }),
    ]),
    tryPods("security contexts", [
      ...withContainers(
        { securityContext: { privileged: true } },
        { securityContext: { privileged: true, allowPrivilegeEscalation: false, runAsUser: 3 } },
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { add: ["CAP_SYS_ADMIN"], drop: ["ALL"] },
          },
        },
        { securityContext: { runAsUser: -1, runAsGroup: -2 } },
        { securityContext: { procMount: "Unmasked" } },
        { securityContext: { procMount: "Odd" } },
        { securityContext: { seccompProfile: {} } },
        { securityContext: { seccompProfile: { type: "Odd" } } },
        { securityContext: { seccompProfile: { type: "Localhost" } } },
        { securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "/../a" } } },
        { securityContext: { seccompProfile: { type: "RuntimeDefault", localhostProfile: "a" } } },
        { securityContext: { appArmorProfile: {} } },
        { securityContext: { appArmorProfile: { type: "Localhost" } } },
        { securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: " a" } } },
        { securityContext: { appArmorProfile: { type: "Unconfined", localhostProfile: "a" } } },
        { securityContext: { appArmorProfile: { type: "Odd" } } },
        {
          securityContext: {
            windowsOptions: { gmsaCredentialSpecName: "A b", gmsaCredentialSpec: "" },
          },
        },
        { securityContext: { windowsOptions: { runAsUserName: "" } } },
        { securityContext: { windowsOptions: { runAsUserName: "a\\b\\c" } } },
        { securityContext: { windowsOptions: { runAsUserName: "a\tb" } } },
        { securityContext: { windowsOptions: { runAsUserName: ".bad domain?\\..." } } },
        { securityContext: { windowsOptions: { runAsUserName: "dom\\a:b" } } },
        { securityContext: { windowsOptions: { runAsUserName: "dom\\" } } },
        { securityContext: { windowsOptions: { runAsUserName: `dom\\${long(105)}` } } },
        { securityContext: { windowsOptions: { hostProcess: true } } },
      ),
    ]),
  ],
};
