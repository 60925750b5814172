import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";

const goArchitectures: Readonly<Record<string, string>> = {
  x64: "amd64",
  ia32: "386",
  ppc64: "ppc64le",
};

/** The User-Agent of a component: `kubelet/v1.37.1 (linux/amd64) kubernetes/k8ts`. */
export function userAgent(component: string): string {
  const { arch, platform } = process;
  const machine = `${platform}/${goArchitectures[arch] ?? arch}`;
  return `${component}/${kubernetesVersion} (${machine}) kubernetes/k8ts`;
}
