import { join } from "node:path";
import { kubeletAuthorities } from "../access/pki.ts";
import { serverPort } from "../base/settings.ts";
import { type Flags, logFlagsOf, type Part, type PartContext } from "./part.ts";

/** Limit of a file of the audit log (MiB), and of the older ones that are kept (count). */
const auditFileMegabytes = 50;
const auditFiles = 4;

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
        file: "audit-policy.json",
        flag: "audit-policy-file",
        needs: ({ paths }) => ({
          "audit-log-path": join(paths.log, "audit.log"),
          "audit-log-maxsize": auditFileMegabytes,
          "audit-log-maxbackup": auditFiles,
        }),
      },
    ],
    endsProgram: true,
    async run(args, signal, { onReady }) {
      const { start } = await import("#/apiserver/run.ts");
      await start(args, signal, { onReady });
    },
  },
};

function flags({ paths, settings }: PartContext): Flags {
  const pki = (file: string): string => join(paths.pki, file);
  return {
    "data-dir": paths.store,
    "secure-port": serverPort(settings.server),
    "advertise-address": settings.nodeIp,
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
    "requestheader-client-ca-file": pki("front-proxy-ca.crt"),
    "requestheader-allowed-names": "front-proxy-client",
    "requestheader-extra-headers-prefix": "X-Remote-Extra-",
    "requestheader-group-headers": "X-Remote-Group",
    "requestheader-username-headers": "X-Remote-User",
    "proxy-client-cert-file": pki("front-proxy-client.crt"),
    "proxy-client-key-file": pki("front-proxy-client.key"),
    ...logFlagsOf(settings),
  };
}
