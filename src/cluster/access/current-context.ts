import { userKubectl } from "./kubectl.ts";

/** The current context of the user's kubeconfig; undefined if there is none. */
export async function currentContext(): Promise<string | undefined> {
  const { code, out } = await userKubectl(["config", "current-context"]);
  return code === 0 ? out.trim() : undefined;
}
