"""The official Python client against the cluster of $KUBECONFIG: typed clients, server-side apply, a watch, a custom resource by
the dynamic client, and errors. Ends with "ok" or with an exception."""

import threading

from kubernetes import client, config, dynamic, watch

NAMESPACE = "client-python"

config.load_kube_config()
core, apps = client.CoreV1Api(), client.AppsV1Api()
extensions = client.ApiextensionsV1Api()

core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
seen = []


def follow(start):
    stream = watch.Watch().stream(
        core.list_namespaced_config_map, NAMESPACE, resource_version=start, timeout_seconds=30
    )
    for event in stream:
        # A controller puts another one into every namespace.
        if event["object"].metadata.name == "a":
            seen.append(event["type"])
        if len(seen) == 3:
            return


try:
    start = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    follower = threading.Thread(target=follow, args=(start,))
    follower.start()
    core.create_namespaced_config_map(
        NAMESPACE, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="a"), data={"k": "1"})
    )
    core.patch_namespaced_config_map("a", NAMESPACE, {"data": {"k": "2"}})
    assert core.read_namespaced_config_map("a", NAMESPACE).data == {"k": "2"}
    core.delete_namespaced_config_map("a", NAMESPACE)
    follower.join()
    assert seen == ["ADDED", "MODIFIED", "DELETED"], seen

    try:
        core.read_namespaced_config_map("a", NAMESPACE)
        raise AssertionError("a deleted object was read")
    except client.ApiException as error:
        assert error.status == 404, error

    labels = {"app": "web"}
    apps.create_namespaced_deployment(
        NAMESPACE,
        client.V1Deployment(
            metadata=client.V1ObjectMeta(name="web"),
            spec=client.V1DeploymentSpec(
                selector=client.V1LabelSelector(match_labels=labels),
                template=client.V1PodTemplateSpec(
                    metadata=client.V1ObjectMeta(labels=labels),
                    spec=client.V1PodSpec(containers=[client.V1Container(name="c", image="i")]),
                ),
            ),
        ),
    )
    apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 3}})
    assert apps.read_namespaced_deployment_scale("web", NAMESPACE).spec.replicas == 3

    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {
            "openAPIV3Schema": {
                "type": "object",
                "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}},
            }
        },
    }
    definition = {
        "metadata": {"name": "boxes.python.example.com"},
        "spec": {
            "group": "python.example.com",
            "scope": "Namespaced",
            "names": {"plural": "boxes", "singular": "box", "kind": "Box"},
            "versions": [version],
        },
    }
    extensions.create_custom_resource_definition(definition)
    for event in watch.Watch().stream(
        extensions.list_custom_resource_definition,
        field_selector="metadata.name=boxes.python.example.com",
        timeout_seconds=30,
    ):
        conditions = event["object"].status.conditions or []
        if any(c.type == "Established" and c.status == "True" for c in conditions):
            break
    resources = dynamic.DynamicClient(client.ApiClient())
    boxes = resources.resources.get(api_version="python.example.com/v1", kind="Box")
    box = {"apiVersion": "python.example.com/v1", "kind": "Box", "metadata": {"name": "b"}, "spec": {"size": 4}}
    applied = boxes.server_side_apply(body=box, namespace=NAMESPACE, field_manager="client-python")
    assert applied.spec.size == 4
    assert applied.metadata.managedFields[0].manager == "client-python"
    print("ok:", ", ".join(seen))
finally:
    core.delete_namespace(NAMESPACE)
    try:
        extensions.delete_custom_resource_definition("boxes.python.example.com")
    except client.ApiException:
        pass
