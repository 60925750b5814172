//! kube-rs against the cluster of $KUBECONFIG: a watcher, server-side apply, a derived custom resource, scale, errors.
use anyhow::{Result, ensure};
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::{ConfigMap, Namespace}};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::{wait::{await_condition, conditions}, watcher};
use kube::{Client, CustomResource, CustomResourceExt, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

const NAMESPACE: &str = "client-rust";
const LIMIT: Duration = Duration::from_secs(30);

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "rust.example.com", version = "v1", kind = "Box", namespaced)]
struct BoxSpec {
    size: u32,
}

#[tokio::main]
async fn main() -> Result<()> {
    let client = Client::try_default().await?;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = serde_json::from_value(json!({"metadata": {"name": NAMESPACE}}))?;
    namespaces.create(&PostParams::default(), &namespace).await?;
    let result = timeout(LIMIT * 2, check(client)).await;
    namespaces.delete(NAMESPACE, &DeleteParams::default()).await?;
    println!("ok: {}", result??.join(", "));
    Ok(())
}

async fn check(client: Client) -> Result<Vec<String>> {
    let seen = follow_config_map(client.clone()).await?;
    scale_deployment(client.clone()).await?;
    apply_custom_resource(client).await?;
    Ok(seen)
}

async fn follow_config_map(client: Client) -> Result<Vec<String>> {
    let maps: Api<ConfigMap> = Api::namespaced(client, NAMESPACE);
    let mut events = watcher(maps.clone(), watcher::Config::default().fields("metadata.name=a")).boxed();
    // Until the initial list is complete, events of the writes below would be part of it.
    while let Some(event) = events.try_next().await? {
        if matches!(event, watcher::Event::InitDone) {
            break;
        }
    }
    let map = serde_json::from_value(json!({"metadata": {"name": "a"}, "data": {"k": "1"}}))?;
    maps.create(&PostParams::default(), &map).await?;
    maps.patch("a", &PatchParams::default(), &Patch::Merge(json!({"data": {"k": "2"}}))).await?;
    maps.delete("a", &DeleteParams::default()).await?;
    let mut seen = Vec::new();
    while seen.len() < 3 {
        match events.try_next().await? {
            Some(watcher::Event::Apply(map)) => {
                let value = map.data.and_then(|data| data.get("k").cloned()).unwrap_or_default();
                seen.push(format!("apply {value}"));
            }
            Some(watcher::Event::Delete(_)) => seen.push("delete".to_owned()),
            Some(_) => {}
            None => break,
        }
    }
    ensure!(seen == ["apply 1", "apply 2", "delete"], "the watcher saw {seen:?}");
    let gone = maps.get_opt("a").await?;
    ensure!(gone.is_none(), "a deleted object was read");
    Ok(seen)
}

async fn scale_deployment(client: Client) -> Result<()> {
    let deployments: Api<Deployment> = Api::namespaced(client, NAMESPACE);
    let web = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "image": "i"}]},
            },
        },
    });
    let applied = deployments.patch("web", &PatchParams::apply("client-rust"), &Patch::Apply(&web)).await?;
    ensure!(applied.spec.and_then(|spec| spec.replicas) == Some(1), "no default for replicas");
    let scale = Patch::Merge(json!({"spec": {"replicas": 3}}));
    let scaled = deployments.patch_scale("web", &PatchParams::default(), &scale).await?;
    ensure!(scaled.spec.and_then(|spec| spec.replicas) == Some(3), "scale was lost");
    Ok(())
}

async fn apply_custom_resource(client: Client) -> Result<()> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition = Box::crd();
    let name = definition.name_any();
    definitions.patch(&name, &PatchParams::apply("client-rust"), &Patch::Apply(&definition)).await?;
    timeout(LIMIT, await_condition(definitions.clone(), &name, conditions::is_crd_established())).await??;
    let boxes: Api<Box> = Api::namespaced(client, NAMESPACE);
    let wanted = Box::new("b", BoxSpec { size: 4 });
    let applied = boxes.patch("b", &PatchParams::apply("client-rust"), &Patch::Apply(&wanted)).await?;
    ensure!(applied.spec.size == 4, "the custom resource was not stored as sent");
    definitions.delete(&name, &DeleteParams::default()).await?;
    Ok(())
}
