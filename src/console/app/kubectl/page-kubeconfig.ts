/** The server in the kubeconfig of the page: whatever serves the console. It is a name, and never looked up. */
export const pageServer = "https://console.invalid";

export const kubeconfigPath = "/home/.kube/config";

/** A kubeconfig for kubectl in the page. It has no credentials: requests get those of the page. */
export function pageKubeconfig(context: string, namespace: string | undefined): string {
  return `${JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: context, cluster: { server: pageServer } }],
      users: [{ name: context, user: {} }],
      contexts: [
        {
          name: context,
          context: { cluster: context, user: context, ...(namespace ? { namespace } : {}) },
        },
      ],
      "current-context": context,
    },
    undefined,
    2,
  )}\n`;
}
