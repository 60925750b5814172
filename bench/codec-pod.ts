/** A Pod as a Deployment creates it and a kubelet runs it, field managers included; `n` distinguishes Pods. */
export function typicalPod(n: number): Record<string, unknown> {
  const suffix = n.toString(36).padStart(5, "0");
  const time = `2026-03-02T10:${String(10 + (n % 50))}:30Z`;
  const text = JSON.stringify(template)
    .replaceAll("SUFFIX", suffix)
    .replaceAll("TIME", time)
    .replaceAll("POD_IP", `10.244.${n >> 8}.${n & 255}`);
  return JSON.parse(text) as Record<string, unknown>;
}

const template = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web-7c5ddbdf54-SUFFIX",
    generateName: "web-7c5ddbdf54-",
    namespace: "default",
    uid: "6a9SUFFIX-3c39-4b4f-9d1c-0c5f3c1f2a77",
    resourceVersion: "184223",
    creationTimestamp: "TIME",
    labels: {
      app: "web",
      "app.kubernetes.io/name": "web",
      "app.kubernetes.io/part-of": "shop",
      "pod-template-hash": "7c5ddbdf54",
    },
    annotations: {
      "prometheus.io/scrape": "true",
      "prometheus.io/port": "9090",
    },
    ownerReferences: [
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "web-7c5ddbdf54",
        uid: "0e3f54b1-6c0c-4ad5-8f66-6f7e3b1a9d10",
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    managedFields: [
      {
        manager: "kube-controller-manager",
        operation: "Update",
        apiVersion: "v1",
        time: "TIME",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": {
            "f:generateName": {},
            "f:labels": {
              ".": {},
              "f:app": {},
              "f:pod-template-hash": {},
            },
            "f:ownerReferences": {
              ".": {},
              'k:{"uid":"0e3f54b1-6c0c-4ad5-8f66-6f7e3b1a9d10"}': {},
            },
          },
          "f:spec": {
            "f:containers": {
              'k:{"name":"web"}': {
                ".": {},
                "f:image": {},
                "f:imagePullPolicy": {},
                "f:livenessProbe": {
                  ".": {},
                  "f:failureThreshold": {},
                  "f:httpGet": {
                    ".": {},
                    "f:path": {},
                    "f:port": {},
                    "f:scheme": {},
                  },
                  "f:periodSeconds": {},
                },
                "f:name": {},
                "f:ports": {
                  ".": {},
                  'k:{"containerPort":8080,"protocol":"TCP"}': {
                    ".": {},
                    "f:containerPort": {},
                    "f:protocol": {},
                  },
                },
                "f:resources": {
                  ".": {},
                  "f:limits": {
                    ".": {},
                    "f:memory": {},
                  },
                  "f:requests": {
                    ".": {},
                    "f:cpu": {},
                    "f:memory": {},
                  },
                },
                "f:terminationMessagePath": {},
                "f:terminationMessagePolicy": {},
              },
            },
            "f:dnsPolicy": {},
            "f:enableServiceLinks": {},
            "f:restartPolicy": {},
            "f:schedulerName": {},
            "f:securityContext": {},
            "f:terminationGracePeriodSeconds": {},
          },
        },
      },
      {
        manager: "kubelet",
        operation: "Update",
        apiVersion: "v1",
        time: "TIME",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:status": {
            "f:conditions": {
              'k:{"type":"Ready"}': {
                ".": {},
                "f:lastProbeTime": {},
                "f:lastTransitionTime": {},
                "f:status": {},
                "f:type": {},
              },
            },
            "f:containerStatuses": {},
            "f:hostIP": {},
            "f:phase": {},
            "f:podIP": {},
            "f:startTime": {},
          },
        },
        subresource: "status",
      },
    ],
  },
  spec: {
    volumes: [
      {
        name: "config",
        configMap: {
          name: "web-config",
          defaultMode: 420,
        },
      },
      {
        name: "kube-api-access-8m2xv",
        projected: {
          sources: [
            {
              serviceAccountToken: {
                expirationSeconds: 3607,
                path: "token",
              },
            },
            {
              configMap: {
                name: "kube-root-ca.crt",
                items: [
                  {
                    key: "ca.crt",
                    path: "ca.crt",
                  },
                ],
              },
            },
            {
              downwardAPI: {
                items: [
                  {
                    path: "namespace",
                    fieldRef: {
                      apiVersion: "v1",
                      fieldPath: "metadata.namespace",
                    },
                  },
                ],
              },
            },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: [
      {
        name: "web",
        image: "example.com/shop/web:1.14.2",
        args: ["--listen=:8080", "--config=/etc/web/config.yaml"],
        ports: [
          {
            name: "http",
            containerPort: 8080,
            protocol: "TCP",
          },
          {
            name: "metrics",
            containerPort: 9090,
            protocol: "TCP",
          },
        ],
        env: [
          {
            name: "POD_NAME",
            valueFrom: {
              fieldRef: {
                apiVersion: "v1",
                fieldPath: "metadata.name",
              },
            },
          },
          {
            name: "LOG_LEVEL",
            value: "info",
          },
          {
            name: "DB_PASSWORD",
            valueFrom: {
              secretKeyRef: {
                name: "web-db",
                key: "password",
              },
            },
          },
        ],
        resources: {
          limits: {
            memory: "256Mi",
          },
          requests: {
            cpu: "100m",
            memory: "128Mi",
          },
        },
        volumeMounts: [
          {
            name: "config",
            mountPath: "/etc/web",
          },
          {
            name: "kube-api-access-8m2xv",
            readOnly: true,
            mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
          },
        ],
        livenessProbe: {
          httpGet: {
            path: "/healthz",
            port: 8080,
            scheme: "HTTP",
          },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        readinessProbe: {
          httpGet: {
            path: "/readyz",
            port: "http",
            scheme: "HTTP",
          },
          timeoutSeconds: 1,
          periodSeconds: 5,
          successThreshold: 1,
          failureThreshold: 3,
        },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
        securityContext: {
          runAsNonRoot: true,
          allowPrivilegeEscalation: false,
          capabilities: {
            drop: ["ALL"],
          },
        },
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: "default",
    serviceAccount: "default",
    nodeName: "node-17",
    securityContext: {},
    schedulerName: "default-scheduler",
    tolerations: [
      {
        key: "node.kubernetes.io/not-ready",
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      },
      {
        key: "node.kubernetes.io/unreachable",
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      },
    ],
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: "PreemptLowerPriority",
  },
  status: {
    phase: "Running",
    conditions: [
      {
        type: "Initialized",
        status: "True",
        lastProbeTime: null,
        lastTransitionTime: "TIME",
      },
      {
        type: "Ready",
        status: "True",
        lastProbeTime: null,
        lastTransitionTime: "TIME",
      },
      {
        type: "ContainersReady",
        status: "True",
        lastProbeTime: null,
        lastTransitionTime: "TIME",
      },
      {
        type: "PodScheduled",
        status: "True",
        lastProbeTime: null,
        lastTransitionTime: "TIME",
      },
    ],
    hostIP: "10.0.3.17",
    hostIPs: [
      {
        ip: "10.0.3.17",
      },
    ],
    podIP: "POD_IP",
    podIPs: [
      {
        ip: "POD_IP",
      },
    ],
    startTime: "TIME",
    containerStatuses: [
      {
        name: "web",
        state: {
          running: {
            startedAt: "TIME",
          },
        },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: "example.com/shop/web:1.14.2",
        imageID:
          "example.com/shop/web@sha256:9f1a2b6d4f6a4c0a8f4d5c0d2b8d4b8f6f3c1e7a9b5d2c4e6f8a0b1c3d5e7f90",
        containerID:
          "containerd://5d2c4e6f8a0b1c3d5e7f909f1a2b6d4f6a4c0a8f4d5c0d2b8d4b8f6f3c1e7a9b",
        started: true,
      },
    ],
    qosClass: "Burstable",
  },
};
