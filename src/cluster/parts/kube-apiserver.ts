import { join } from "node:path";
import { encryptionFile } from "../access/encryption-keys.ts";
import { kubeletAuthorities } from "../access/pki.ts";
import { familiesOf } from "../base/address-families.ts";
import { etcdAccess } from "../base/etcd-access.ts";
import type { EtcdSettings } from "../base/etcd-settings.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { serverPort } from "../base/settings.ts";
import { auditPolicy } from "./audit-policy.ts";
import { type Flags, logFlagsOf, type Part, type PartContext } from "./part.ts";

/**
 * Limits of the audit log: of a file (MiB), and of the older ones, by number and age (days). Those are compressed, to about
 * a twentieth. The CIS benchmark asks for no less.
 */
const auditLimits = {
  "audit-log-maxsize": 100,
  "audit-log-maxbackup": 10,
  "audit-log-maxage": 30,
  "audit-log-compress": true,
};

const auditPolicyName = "audit-policy.json";
const auditPolicyFile = ({ paths }: PartContext): string => join(paths.config, auditPolicyName);

/** Clusters of earlier versions, too. */
const recordsAudit = ({ settings }: PartContext): boolean => settings.audit ?? true;

const auditFlags = ({ paths }: PartContext): Flags => ({
  "audit-log-path": join(paths.log, "audit.log"),
  ...auditLimits,
});

export const apiServer: Part = {
  name: "kube-apiserver",
  summary: "the API server",
  load: () => import("#/apiserver/run.ts"),
  canBeDisabled: false,
  server: {
    flags,
    documents: [
      {
        apiGroup: "apiserver.config.k8s.io",
        kind: "EncryptionConfiguration",
        file: "encryption.json",
        flag: "encryption-provider-config",
        needs: () => ({ "encryption-provider-config-automatic-reload": true }),
      },
      {
        apiGroup: "apiserver.config.k8s.io",
        kind: "AuthenticationConfiguration",
        file: "authentication.json",
        flag: "authentication-config",
      },
      {
        apiGroup: "apiserver.config.k8s.io",
        kind: "AuthorizationConfiguration",
        file: "authorization.json",
        flag: "authorization-config",
        replaces: ["authorization-mode"],
      },
      {
        apiGroup: "apiserver.config.k8s.io",
        kind: "AdmissionConfiguration",
        file: "admission.json",
        flag: "admission-control-config-file",
      },
      {
        apiGroup: "audit.k8s.io",
        kind: "Policy",
        file: auditPolicyName,
        flag: "audit-policy-file",
        needs: auditFlags,
      },
    ],
    files: (context) =>
      recordsAudit(context)
        ? [
            {
              path: auditPolicyFile(context),
              text: `${JSON.stringify(auditPolicy, undefined, 2)}\n`,
            },
          ]
        : [],
    endsProgram: true,
    async run(args, signal, { onReady }) {
      const { start } = await import("#/apiserver/run.ts");
      await start(args, signal, { onReady });
    },
  },
};

/** The store: its own member of etcd, that of the user, or without flags the embedded one. */
function etcdFlags(paths: ClusterPaths, etcd: EtcdSettings | undefined): Flags {
  if (!etcd) return {};
  const { servers, caFile, certFile, keyFile } = etcdAccess(paths, etcd, "127.0.0.1");
  return {
    "etcd-servers": servers.join(","),
    ...(caFile ? { "etcd-cafile": caFile } : {}),
    ...(certFile ? { "etcd-certfile": certFile } : {}),
    ...(keyFile ? { "etcd-keyfile": keyFile } : {}),
  };
}

function flags(context: PartContext): Flags {
  const { paths, settings } = context;
  const pki = (file: string): string => join(paths.pki, file);
  return {
    "data-dir": paths.store,
    ...etcdFlags(paths, settings.etcd),
    "secure-port": serverPort(settings.server),
    "advertise-address": settings.nodeIp,
    ...(familiesOf(settings.podCidr).includes(6) ? { "bind-address": "::" } : {}),
    "allow-privileged": true,
    journey: true,
    "authorization-mode": "Node,RBAC",
    "enable-admission-plugins": "NodeRestriction",
    "enable-bootstrap-token-auth": true,
    "enable-aggregator-routing": true,
    "service-cluster-ip-range": settings.serviceCidr,
    "client-ca-file": pki("ca.crt"),
    "tls-cert-file": pki("apiserver.crt"),
    "tls-private-key-file": pki("apiserver.key"),
    "kubelet-certificate-authority": pki(kubeletAuthorities),
    "kubelet-client-certificate": pki("apiserver-kubelet-client.crt"),
    "kubelet-client-key": pki("apiserver-kubelet-client.key"),
    "kubelet-preferred-address-types": "InternalIP,ExternalIP,Hostname",
    "service-account-issuer": `https://kubernetes.default.svc.${settings.clusterDomain}`,
    "service-account-key-file": pki("sa.pub"),
    "service-account-signing-key-file": pki("sa.key"),
    // Clients read renewed tokens since 1.21: one that was stolen need not be valid for a year.
    "service-account-extend-token-expiration": false,
    "requestheader-client-ca-file": pki("front-proxy-ca.crt"),
    "requestheader-allowed-names": "front-proxy-client",
    "requestheader-extra-headers-prefix": "X-Remote-Extra-",
    "requestheader-group-headers": "X-Remote-Group",
    "requestheader-username-headers": "X-Remote-User",
    "proxy-client-cert-file": pki("front-proxy-client.crt"),
    "proxy-client-key-file": pki("front-proxy-client.key"),
    ...(recordsAudit(context)
      ? { "audit-policy-file": auditPolicyFile(context), ...auditFlags(context) }
      : {}),
    profiling: false,
    ...(settings.encryptsSecrets
      ? {
          "encryption-provider-config": encryptionFile(paths.pki),
          "encryption-provider-config-automatic-reload": true,
        }
      : {}),
    ...logFlagsOf(settings),
  };
}
