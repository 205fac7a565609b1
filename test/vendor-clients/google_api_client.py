"""The Data and Admin APIs with google-api-python-client and the key of a service account, as Google's own samples use them."""

import json
import sys

from google.oauth2 import service_account
from googleapiclient.discovery import build

from calls import run

world = json.load(sys.stdin)
key = service_account.Credentials.from_service_account_info(
    world["credentials"]["service_account"],
    scopes=["https://www.googleapis.com/auth/analytics.readonly", "https://www.googleapis.com/auth/analytics.edit"],
)


def api(name, version):
    # The descriptions of the APIs are a part of the package.
    options = {"api_endpoint": world["url"]}
    return build(name, version, credentials=key, client_options=options, cache_discovery=False)


reports = api("analyticsdata", "v1beta").properties()
admin = api("analyticsadmin", "v1beta")
alpha = api("analyticsadmin", "v1alpha").properties()
shop, account = world["ids"]["property"], world["ids"]["account"]
week = [{"startDate": "7daysAgo", "endDate": "yesterday"}]
report = {"dateRanges": week, "metrics": [{"name": "sessions"}], "dimensions": [{"name": "country"}]}
pivot = {**report, "pivots": [{"fieldNames": ["country"], "limit": 5}]}
kept = {}


def call(name, resource, /, keep=None, **given):
    """Values that are functions are read when the call is made. The name of what was made is kept."""

    def send():
        known = {each: value() if callable(value) else value for each, value in given.items()}
        answer = getattr(resource, name.split(".")[-1])(**known).execute()
        if keep:
            kept[keep] = answer["name"]

    return name, send


def made(name):
    return lambda: kept[name]


properties = admin.properties()
events, streams = properties.keyEvents(), properties.dataStreams()
stream = {"type": "WEB_DATA_STREAM", "displayName": "Web", "webStreamData": {"defaultUri": "https://shop.example"}}
dimension = {"parameterName": "size", "displayName": "Size", "scope": "EVENT"}
lists = ["conversionEvents", "customDimensions", "customMetrics", "googleAdsLinks", "firebaseLinks"]
more = ["audiences", "bigQueryLinks", "channelGroups", "calculatedMetrics", "reportingDataAnnotations"]

run(
    [
        call("properties.runReport", reports, property=shop, body=report),
        call("properties.batchRunReports", reports, property=shop, body={"requests": [report]}),
        call("properties.runPivotReport", reports, property=shop, body=pivot),
        call("properties.batchRunPivotReports", reports, property=shop, body={"requests": [pivot]}),
        call("properties.runRealtimeReport", reports, property=shop, body={"metrics": [{"name": "activeUsers"}]}),
        call("properties.checkCompatibility", reports, property=shop, body={"metrics": report["metrics"]}),
        call("properties.getMetadata", reports, name=f"{shop}/metadata"),
        call("properties.audienceExports.list", reports.audienceExports(), parent=shop),
        call("accounts.list", admin.accounts()),
        call("accounts.get", admin.accounts(), name=account),
        call("accounts.getDataSharingSettings", admin.accounts(), name=f"{account}/dataSharingSettings"),
        call("accounts.searchChangeHistoryEvents", admin.accounts(), account=account, body={}),
        call("accountSummaries.list", admin.accountSummaries()),
        call("properties.list", properties, filter=f"parent:{account}"),
        call("properties.get", properties, name=shop),
        call("properties.patch", properties, name=shop, updateMask="displayName", body={"displayName": "Shop"}),
        call("properties.getDataRetentionSettings", properties, name=f"{shop}/dataRetentionSettings"),
        call("properties.keyEvents.list", events, parent=shop),
        call(
            "properties.keyEvents.create",
            events,
            keep="event",
            parent=shop,
            body={"eventName": "sign_up", "countingMethod": "ONCE_PER_EVENT"},
        ),
        call("properties.keyEvents.get", events, name=made("event")),
        call(
            "properties.keyEvents.patch",
            events,
            name=made("event"),
            updateMask="countingMethod",
            body={"countingMethod": "ONCE_PER_SESSION"},
        ),
        call("properties.keyEvents.delete", events, name=made("event")),
        call("properties.dataStreams.list", streams, parent=shop),
        call("properties.dataStreams.create", streams, keep="stream", parent=shop, body=stream),
        call("properties.dataStreams.get", streams, name=made("stream")),
        call("properties.dataStreams.delete", streams, name=made("stream")),
        call(
            "properties.customDimensions.create",
            properties.customDimensions(),
            keep="dimension",
            parent=shop,
            body=dimension,
        ),
        call("properties.customDimensions.archive", properties.customDimensions(), name=made("dimension"), body={}),
        *[call(f"properties.{each}.list", getattr(properties, each)(), parent=shop) for each in lists],
        *[call(f"v1alpha properties.{each}.list", getattr(alpha, each)(), parent=shop) for each in more],
        call("v1alpha properties.getAttributionSettings", alpha, name=f"{shop}/attributionSettings"),
        call("v1alpha properties.getGoogleSignalsSettings", alpha, name=f"{shop}/googleSignalsSettings"),
    ]
)
