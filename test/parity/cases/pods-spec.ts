import type { Area } from "../case.ts";
import { container, long, pod, tryPods, withSpecs } from "./pod-bodies.ts";

const nodeTerms = (...nodeSelectorTerms: object[]) => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  },
});
const preferredNodes = (...terms: object[]) => ({
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } },
});
const podTerms = (...terms: object[]) => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
});
const antiTerms = (...terms: object[]) => ({
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } },
});
const expression = (key: string, operator: string, values?: string[]) => ({
  matchExpressions: [{ key, operator, values }],
});
const spread = (...changes: object[]) => ({
  topologySpreadConstraints: changes.map((change) => ({
    maxSkew: 1,
    topologyKey: "zone",
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: { a: "b" } },
    ...change,
  })),
});
const tolerations = (...tolerations: object[]) => ({ tolerations });
const context = (securityContext: object, rest: object = {}) => ({ securityContext, ...rest });
const windows = { os: { name: "windows" } };

/** Fields of pods besides containers and volumes. */
export const podSpecs: Area = {
  name: "pod-specs",
  cases: [
    tryPods("metadata", [
      pod({}, { name: "" }),
      pod({}, { name: "A" }),
      pod({}, { name: "a.b" }),
      pod({}, { name: long(254) }),
      pod({}, { finalizers: ["a", "example.com/b"] }),
      pod({}, { annotations: { "kubernetes.io/config.mirror": "x" } }),
      pod({}, { annotations: { "controller.kubernetes.io/pod-deletion-cost": "+1" } }),
      pod({}, { annotations: { "controller.kubernetes.io/pod-deletion-cost": "2147483648" } }),
      pod({}, { annotations: { "seccomp.security.alpha.kubernetes.io/pod": "odd" } }),
      pod({}, { annotations: { "seccomp.security.alpha.kubernetes.io/pod": "localhost/../a" } }),
      pod(
        {},
        { annotations: { "container.seccomp.security.alpha.kubernetes.io/c": "runtime/default" } },
      ),
      pod({}, { annotations: { "container.apparmor.security.beta.kubernetes.io/c": "odd" } }),
      pod(
        {},
        { annotations: { "container.apparmor.security.beta.kubernetes.io/d": "unconfined" } },
      ),
      pod(
        {},
        { annotations: { "container.apparmor.security.beta.kubernetes.io/c": "localhost/x" } },
      ),
      pod(
        {
          containers: [
            container({
              securityContext: {
                appArmorProfile: { type: "Unconfined" },
                seccompProfile: { type: "Unconfined" },
              },
            }),
          ],
        },
        {
          annotations: {
            "container.apparmor.security.beta.kubernetes.io/c": "runtime/default",
          },
        },
      ),
      pod(
        { securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "a" } } },
        { annotations: { "seccomp.security.alpha.kubernetes.io/pod": "localhost/b" } },
      ),
      pod({}, { annotations: { "scheduler.alpha.kubernetes.io/critical-pod": "" } }),
      pod({}, { annotations: { "pod.beta.kubernetes.io/init-containers": "[]" } }),
    ]),
    tryPods(
      "names and policies",
      withSpecs(
        { restartPolicy: "Odd" },
        { dnsPolicy: "Odd" },
        { dnsPolicy: "None" },
        { dnsPolicy: "None", dnsConfig: {} },
        { dnsConfig: { nameservers: ["1", "1.2.3.04", "::ffff:1.2.3.4", "1.2.3.4"] } },
        { dnsConfig: { nameservers: ["FE80::1"] } },
        { dnsConfig: { searches: ["a_b.", ".", "-a"], options: [{ value: "x" }] } },
        { dnsConfig: { searches: Array.from({ length: 33 }, () => long(63)) } },
        { terminationGracePeriodSeconds: -1 },
        { activeDeadlineSeconds: 0 },
        { activeDeadlineSeconds: 2147483648 },
        { serviceAccountName: "A" },
        { serviceAccount: "old" },
        { nodeName: "A_b" },
        { hostname: "a.b" },
        { subdomain: "A" },
        { hostnameOverride: "A" },
        { hostnameOverride: long(65), hostNetwork: true, setHostnameAsFQDN: true },
        { overhead: { cpu: "-1" } },
        { nodeSelector: { "a b": "c" } },
        { nodeSelector: { "beta.kubernetes.io/os": "linux" } },
        { imagePullSecrets: [{ name: "" }, { name: "a" }, { name: "a" }] },
        { hostAliases: [{ ip: "x", hostnames: ["A_b"] }] },
        { hostAliases: [{ ip: "1.2.3.4" }, { ip: "1.2.3.4", hostnames: ["a"] }] },
        { readinessGates: [{ conditionType: "a b" }] },
        { schedulingGates: [{ name: "a b" }, { name: "x" }, { name: "x" }] },
        { schedulingGates: [{ name: "x" }] },
        { schedulingGates: [{ name: "x" }], nodeName: "n" },
        { enableServiceLinks: false, hostPID: true, shareProcessNamespace: true },
        { schedulingGroup: { podGroupName: "g" } },
      ),
    ),
    tryPods(
      "resource claims",
      withSpecs(
        { resourceClaims: [{ name: "" }] },
        { resourceClaims: [{ name: "a", resourceClaimName: "x", resourceClaimTemplateName: "y" }] },
        {
          resourceClaims: [
            { name: "a", resourceClaimName: "x" },
            { name: "a", resourceClaimName: "Y" },
          ],
        },
        { resourceClaims: [{ name: "A", resourceClaimTemplateName: "Y" }] },
      ),
    ),
    tryPods("pod-level resources", [
      ...withSpecs(
        { resources: { limits: { cpu: "1" } } },
        { resources: { requests: { cpu: "1" }, limits: { cpu: "500m" } } },
        { resources: { limits: { "example.com/gpu": "1" } } },
        { resources: { limits: { foo: "1" } } },
        { resources: { claims: [{ name: "x" }] } },
        { resources: { limits: { memory: "1Gi" } }, ...windows },
        {
          resources: { limits: { cpu: "1" } },
          containers: [container({ resources: { limits: { cpu: "2" } } })],
        },
        {
          resources: { requests: { cpu: "1" } },
          containers: [container({ resources: { requests: { cpu: "2" } } })],
        },
        {
          resources: { limits: { cpu: "4" } },
          containers: [container({ resources: { requests: { cpu: "1", memory: "1Gi" } } })],
        },
        {
          resources: { requests: { cpu: "1" } },
          containers: [
            container({ resources: { limits: { cpu: "2" }, requests: { cpu: "500m" } } }),
          ],
        },
        {
          resources: { requests: { cpu: "1" } },
          containers: [container({ resources: { limits: { cpu: "1", "hugepages-2Mi": "2Mi" } } })],
        },
      ),
    ]),
    tryPods("quality of service", [
      pod({ containers: [container({ resources: { limits: { cpu: "1", memory: "1Gi" } } })] }),
      pod({ containers: [container({ resources: { limits: { cpu: "1" } } })] }),
      pod({
        containers: [container({ resources: { limits: { cpu: "1", memory: "1Gi" } } })],
        initContainers: [container({ name: "i" })],
      }),
    ]),
    tryPods(
      "security contexts",
      withSpecs(
        context({ fsGroup: -1, runAsUser: -1, runAsGroup: -1, supplementalGroups: [1, -1] }),
        context({
          sysctls: [
            { name: "", value: "1" },
            { name: "A.b", value: "1" },
            { name: "a/b", value: "1" },
            { name: "a/b", value: "2" },
          ],
        }),
        context(
          {
            sysctls: [
              { name: "net.core.x", value: "1" },
              { name: "kernel.shmmax", value: "1" },
            ],
          },
          { hostNetwork: true, hostIPC: true },
        ),
        context({ sysctls: [{ name: "net/core/x", value: "1" }] }, { hostNetwork: true }),
        context({
          fsGroupChangePolicy: "Odd",
          supplementalGroupsPolicy: "Odd",
          seLinuxChangePolicy: "Odd",
        }),
        context({ seLinuxChangePolicy: "MountOption", supplementalGroupsPolicy: "Strict" }),
        context({ seccompProfile: { type: "Unconfined", localhostProfile: "x" } }),
        context({ windowsOptions: { hostProcess: true } }, { hostNetwork: true }),
        context(
          { windowsOptions: { hostProcess: true } },
          {
            containers: [
              container({ securityContext: { windowsOptions: { hostProcess: false } } }),
            ],
          },
        ),
        { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true },
        {
          hostUsers: false,
          containers: [container({ volumeDevices: [{ name: "v", devicePath: "/x" }] })],
          volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }],
        },
      ),
    ),
    tryPods(
      "operating systems",
      withSpecs(
        { os: { name: "" } },
        { os: { name: "plan9" } },
        {
          os: { name: "linux" },
          ...context({ windowsOptions: {} }),
          containers: [container({ securityContext: { windowsOptions: {} } })],
        },
        {
          ...windows,
          ...context({
            appArmorProfile: { type: "Unconfined" },
            seLinuxOptions: {},
            seccompProfile: { type: "Unconfined" },
            fsGroup: 1,
            fsGroupChangePolicy: "Always",
            sysctls: [{ name: "a.b", value: "1" }],
            runAsUser: 1,
            runAsGroup: 1,
            supplementalGroups: [1],
            supplementalGroupsPolicy: "Merge",
            seLinuxChangePolicy: "Recursive",
          }),
          hostUsers: true,
          hostPID: true,
          hostIPC: true,
          shareProcessNamespace: false,
        },
        {
          ...windows,
          containers: [
            container({
              securityContext: {
                appArmorProfile: { type: "Unconfined" },
                seLinuxOptions: {},
                seccompProfile: { type: "Unconfined" },
                capabilities: {},
                readOnlyRootFilesystem: true,
                privileged: false,
                allowPrivilegeEscalation: true,
                procMount: "Default",
                runAsUser: 1,
                runAsGroup: 1,
              },
            }),
          ],
        },
      ),
    ),
    tryPods(
      "node affinity",
      withSpecs(
        nodeTerms(),
        nodeTerms({}),
        nodeTerms(expression("a b", "In", ["x"])),
        nodeTerms(expression("a", "In")),
        nodeTerms(expression("a", "Exists", ["x"])),
        nodeTerms(expression("a", "Gt", ["1", "2"])),
        nodeTerms(expression("a", "Is", ["x"])),
        nodeTerms(expression("a", "In", ["x y"])),
        nodeTerms({ matchFields: [{ key: "metadata.uid", operator: "Exists" }] }),
        nodeTerms({
          matchFields: [{ key: "metadata.name", operator: "In", values: ["A_b", "c"] }],
        }),
        preferredNodes({ weight: 0, preference: expression("a", "In", ["x y"]) }),
        preferredNodes({
          weight: 101,
          preference: expression("failure-domain.beta.kubernetes.io/zone", "Exists"),
        }),
        preferredNodes({ weight: 5, preference: expression("a", "In", ["x y"]) }),
      ),
    ),
    tryPods("pod affinity", [
      ...withSpecs(
        podTerms({}),
        podTerms({
          topologyKey: "a b",
          namespaces: ["A"],
          labelSelector: { matchLabels: { a: "b c" } },
        }),
        podTerms({
          topologyKey: "z",
          namespaceSelector: { matchExpressions: [{ key: "a", operator: "In" }] },
        }),
        podTerms({ topologyKey: "z", matchLabelKeys: ["a"] }),
        podTerms({
          topologyKey: "z",
          labelSelector: {},
          matchLabelKeys: ["a b"],
          mismatchLabelKeys: ["a b"],
        }),
        antiTerms({ weight: 0, podAffinityTerm: { topologyKey: "z" } }),
      ),
      pod(
        podTerms({
          topologyKey: "z",
          labelSelector: {},
          matchLabelKeys: ["a"],
          mismatchLabelKeys: ["b"],
        }),
        { labels: { a: "1", b: "2" } },
      ),
      pod(
        podTerms({
          topologyKey: "z",
          labelSelector: { matchLabels: { a: "1" } },
          matchLabelKeys: ["a"],
        }),
        { labels: { a: "1" } },
      ),
    ]),
    tryPods("topology spread", [
      ...withSpecs(
        spread({ maxSkew: 0, topologyKey: "", whenUnsatisfiable: "Odd" }),
        spread({}, {}),
        spread({ minDomains: 0 }),
        spread({ minDomains: 1, whenUnsatisfiable: "ScheduleAnyway" }),
        spread({ nodeAffinityPolicy: "Odd", nodeTaintsPolicy: "Odd" }),
        spread({ labelSelector: undefined }),
        spread({ labelSelector: undefined, matchLabelKeys: ["a"] }),
        spread({ labelSelector: { matchLabels: { "a b": "c" } } }),
        spread({ matchLabelKeys: ["a", "a b"] }),
        spread({ topologyKey: "beta.kubernetes.io/arch" }),
      ),
      pod(spread({ matchLabelKeys: ["a"] }), { labels: { a: "1" } }),
      pod(spread({ matchLabelKeys: ["x"] }), { labels: { x: "1" } }),
    ]),
    tryPods(
      "tolerations",
      withSpecs(
        tolerations({}),
        tolerations({ operator: "Exists", value: "x" }),
        tolerations({ key: "a b", operator: "Odd" }),
        tolerations({ key: "a", operator: "Lt", value: "1" }),
        tolerations({ key: "a", value: "x y", effect: "Odd" }),
        tolerations({ key: "a", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 5 }),
        tolerations({ operator: "Exists" }),
      ),
    ),
  ],
};
