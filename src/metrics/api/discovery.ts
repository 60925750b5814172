import { apiVersion, group, version } from "./request.ts";

const verbs = ["get", "list"];
const groupVersion = { groupVersion: apiVersion, version };
const apiGroup = { name: group, versions: [groupVersion], preferredVersion: groupVersion };

/** The discovery documents by their path. */
export const discoveryDocuments: Readonly<Record<string, object>> = {
  "/apis": { kind: "APIGroupList", apiVersion: "v1", groups: [apiGroup] },
  [`/apis/${group}`]: { kind: "APIGroup", apiVersion: "v1", ...apiGroup },
  [`/apis/${apiVersion}`]: {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: apiVersion,
    resources: [
      { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs },
      { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs },
    ],
  },
};
