/** Upstream: pkg/kubelet/kubelet_getters.go, pkg/kubelet/kuberuntime/helpers.go. */
import { join } from "node:path";
import type { Pod } from "#/api/core/v1.ts";

/** The kubelet's paths: the same as upstream's, so that either kubelet can take over from the other. */
export class Directories {
  /** `--root-dir`. */
  readonly root: string;
  /** `podLogsDir`. */
  readonly podLogs: string;

  constructor(root = "/var/lib/kubelet", podLogs = "/var/log/pods") {
    this.root = root;
    this.podLogs = podLogs;
  }

  get pods(): string {
    return join(this.root, "pods");
  }

  get plugins(): string {
    return join(this.root, "plugins");
  }

  get pluginRegistration(): string {
    return join(this.root, "plugins_registry");
  }

  get seccomp(): string {
    return join(this.root, "seccomp");
  }

  pod(uid: string): string {
    return join(this.pods, uid);
  }

  /** With `kubernetes.io/configmap` written `kubernetes.io~configmap`. */
  volume(uid: string, plugin: string, name: string): string {
    return join(this.pod(uid), "volumes", plugin.replaceAll("/", "~"), name);
  }

  /** Directory of the termination message files of a container. */
  container(uid: string, name: string): string {
    return join(this.pod(uid), "containers", name);
  }

  hostsFile(uid: string): string {
    return join(this.pod(uid), "etc-hosts");
  }

  podLog({ metadata }: Pick<Pod, "metadata">): string {
    const { namespace, name, uid } = metadata;
    return join(this.podLogs, `${namespace}_${name}_${uid}`);
  }
}

/** Directory of links to all container logs, for log collectors. */
export const containerLogLinks = "/var/log/containers";
