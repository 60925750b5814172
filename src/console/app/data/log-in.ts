import {
  access,
  type KubeconfigContext,
  kubeconfigContext,
  type User,
  user,
} from "../base/session.ts";
import { ApiFailure, getJson } from "./api.ts";

/** The name of a user without credentials. */
const anonymous = "system:anonymous";

/** Finds out how the page reaches the API: only `k8ts console` knows of a context. */
export async function findAccess(): Promise<void> {
  try {
    kubeconfigContext.value = await getJson<KubeconfigContext>("/console/context");
    access.value = "proxy";
  } catch (error) {
    const { status, message } = error as ApiFailure;
    access.value = status === 401 && message.startsWith("k8ts console") ? "proxy" : "server";
  }
}

/** Asks the server who the user is; false if it knows none. */
export async function logIn(): Promise<boolean> {
  try {
    const { status } = await getJson<{ readonly status?: { readonly userInfo?: RawUser } }>(
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      {
        method: "POST",
        body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      },
    );
    const found: User = {
      name: status?.userInfo?.username ?? "",
      groups: status?.userInfo?.groups ?? [],
    };
    if (found.name === anonymous) return false;
    user.value = found;
    return true;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    return false;
  }
}

interface RawUser {
  readonly username?: string;
  readonly groups?: readonly string[];
}
