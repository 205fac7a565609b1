"""Every method of marketorestpython for which the sandbox has endpoints, and one of each family that is left out."""

import json
import os
import sys
import tempfile

from marketorestpython.client import MarketoClient

from calls import run

world = json.load(sys.stdin)
ids = world["ids"]
# A call that is refused for good is not tried for minutes.
client = MarketoClient(
    "123-ABC-456", world["credentials"]["client_id"], world["credentials"]["client_secret"], max_retry_time=5
)
client.host = world["url"]
lead, campaign, program = ids["lead_id"], ids["trigger_campaign_id"], ids["email_program_id"]
inside = {"folderId": ids["folder_id"], "folderType": "Folder"}
since = {"sinceDatetime": "2026-01-01"}
kept = {}


def page(text):
    path = os.path.join(tempfile.mkdtemp(), "page.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def call(method, /, keep=None, **given):
    """Values that are functions are read when the call is made. The id of what was made is kept."""

    def send():
        known = {name: value() if callable(value) else value for name, value in given.items()}
        answer = client.execute(method=method, **known)
        if keep:
            kept[keep] = answer[0]["id"]
        return answer

    return method, send


def made(name):
    return lambda: kept[name]


def drafted(word, several, content, /, **more):
    """Assets with a draft: templates, forms and snippets have the same calls."""
    one = f"get_{word}"
    return [
        call(f"create_{word}", keep=word, name=f"Made {word}", **inside, **more),
        call(f"{one}_by_id", id=made(word)),
        call(f"update_{word}", id=made(word), description="changed"),
        *content,
        call(f"approve_{word}", id=made(word)),
        call(f"unapprove_{word}", id=made(word)),
        call(f"clone_{word}", keep=f"{word} copy", id=made(word), name=f"Copied {word}", **inside),
        call(f"get_{several}", maxReturn=5),
        call(f"get_{several}_yield", maxReturn=5),
        call(f"delete_{word}", id=made(f"{word} copy")),
        call(f"delete_{word}", id=made(word)),
    ]


run(
    [
        call("get_lead_by_id", id=lead, fields=["email", "company"]),
        call("get_multiple_leads_by_filter_type", filterType="email", filterValues=[ids["lead_email"]]),
        call("get_multiple_leads_by_list_id", listId=ids["list_id"], batchSize=300),
        call("get_multiple_leads_by_list_id_yield", listId=ids["list_id"]),
        call(
            "create_update_leads",
            keep="lead",
            leads=[{"email": "python@example.com", "company": "Example"}],
            lookupField="email",
        ),
        call("associate_lead", id=made("lead"), cookie="id:123-ABC-456&token:_mch-1"),
        call("push_lead", keep="pushed", leads=[{"email": "pushed@example.com"}], programName="Website", lookupField="email"),
        call("merge_lead", id=made("lead"), leadIds=lambda: [kept["pushed"]]),
        call("get_smart_campaigns_by_lead_id", lead_id=lead),
        call("get_multiple_leads_by_program_id", programId=program, fields=["email"]),
        call("get_multiple_leads_by_program_id_yield", programId=program),
        call("change_lead_program_status", id=program, leadIds=[lead], status="Opened"),
        call("describe_program_member"),
        call("get_lead_partitions"),
        call("describe"),
        call("describe2"),
        call("create_list", keep="list", name="Made list", **inside),
        call("update_list", id=made("list"), name="Renamed list"),
        call("get_list_by_id", id=made("list")),
        call("get_list_by_name", name="Renamed list"),
        call("get_multiple_lists", batchSize=5),
        call("browse_lists", maxReturn=5),
        call("browse_lists_yield", maxReturn=5),
        call("add_leads_to_list", listId=made("list"), id=[lead]),
        call("member_of_list", listId=made("list"), id=[lead]),
        call("remove_leads_from_list", listId=made("list"), id=[lead]),
        call("delete_list", id=made("list")),
        call("get_smart_lists", maxReturn=5),
        call("get_smart_list_by_id", id=2001, includeRules=True),
        call("get_smart_list_by_name", name="No activity"),
        call("clone_smart_list", keep="smart list", id=2001, name="Copied smart list", **inside),
        call("delete_smart_list", id=made("smart list")),
        call("get_smart_list_by_program_id", id=program),
        call("get_multiple_campaigns", batchSize=5),
        call("get_campaign_by_id", id=campaign),
        call("request_campaign", id=campaign, leads=[lead], tokens={"my.message": "Hello"}),
        call("schedule_campaign", id=ids["batch_campaign_id"]),
        call("get_smart_campaigns", maxReturn=5),
        call("get_smart_campaign_by_id", id=campaign),
        call("get_smart_list_by_smart_campaign_id", id=campaign),
        call("deactivate_smart_campaign", id=campaign),
        call("activate_smart_campaign", id=campaign),
        call("create_smart_campaign", keep="campaign", name="Made campaign", **inside),
        call("update_smart_campaign", id=made("campaign"), name="Renamed campaign"),
        call("get_smart_campaign_by_name", name="Renamed campaign"),
        call("clone_smart_campaign", id=made("campaign"), name="Copied campaign", **inside),
        call("delete_smart_campaign", id=made("campaign")),
        call("get_activity_types"),
        call("get_paging_token", **since),
        call("get_lead_activities", activityTypeIds=["6"], leadIds=[lead], **since),
        call("get_lead_activities_yield", activityTypeIds=["6"], leadIds=[lead], **since),
        call("get_lead_changes", fields=["email"], **since),
        call("get_lead_changes_yield", fields=["email"], **since),
        call("get_deleted_leads", **since),
        call("get_daily_usage"),
        call("get_last_7_days_usage"),
        call("get_daily_errors"),
        call("get_last_7_days_errors"),
        call("delete_lead", id=lambda: [kept["lead"]]),
        call("browse_folders", root=ids["folder_id"], maxReturn=5),
        call("browse_folders_yield", root=ids["folder_id"]),
        call("create_folder", keep="folder", name="Made folder", parentId=ids["folder_id"], parentType="Folder"),
        call("get_folder_by_id", id=made("folder"), type="Folder"),
        call("get_folder_by_name", name="Made folder"),
        call("get_folder_contents", id=ids["folder_id"], type="Folder"),
        call("update_folder", id=made("folder"), description="changed"),
        call("create_token", id=made("folder"), folderType="Folder", type="text", name="city", value="Oslo"),
        call("get_tokens", id=made("folder"), folderType="Folder"),
        call("delete_tokens", id=made("folder"), folderType="Folder", name="city", type="text"),
        call("delete_folder", id=made("folder")),
        *drafted(
            "email_template",
            "email_templates",
            [
                call("get_email_template_by_name", name="Plain"),
                call("get_email_template_content", id=31),
                call("get_email_template_used_by", id=31),
                call("update_email_template_content", id=made("email_template"), content=page("<html>new</html>")),
                call("update_email_template_content", id=31, content=page("<html>draft</html>")),
                call("discard_email_template_draft", id=31),
            ],
            content=page("<html></html>"),
        ),
        *drafted(
            "form",
            "forms",
            [
                call("get_form_by_name", name="Contact Form"),
                call("get_form_fields", id=701),
                call("create_form_field", id=made("form"), fieldId="leadSource", label="From"),
                call("update_form_field", id=made("form"), fieldId="leadSource", label="Source"),
                call("delete_form_field", id=made("form"), fieldId="leadSource"),
                call("get_thank_you_page_by_form_id", id=701),
            ],
        ),
        *drafted(
            "snippet",
            "snippets",
            [
                call("update_snippet_content", id=made("snippet"), type="HTML", content="<p>new</p>"),
                call("get_snippet_content", id=61),
            ],
        ),
        *drafted(
            "landing_page_template",
            "landing_page_templates",
            [
                call("get_landing_page_template_by_name", name="Standard Page"),
                call("get_landing_page_template_content", id=17),
            ],
        ),
        call(
            "create_email",
            keep="email",
            name="Made e-mail",
            template=31,
            subject="Hi",
            fromName="A",
            fromEmail="a@example.com",
            replyEmail="a@example.com",
            **inside,
        ),
        call("get_email_by_id", id=made("email")),
        call("get_email_by_name", name="Made e-mail"),
        call("update_email", id=made("email"), description="changed"),
        call("get_emails", maxReturn=5, status="approved"),
        call("get_emails_yield", maxReturn=5),
        call("get_email_content", id=made("email")),
        call("update_email_content", id=made("email"), type="Text", subject="Hello"),
        call(
            "update_email_content_in_editable_section",
            id=made("email"),
            htmlId="main-text",
            type="Text",
            value="<p>Hello</p>",
        ),
        call("get_email_full_content", id=made("email")),
        call("get_email_variables", id=made("email")),
        call("send_sample_email", id=made("email"), emailAddress="a@example.com"),
        call("approve_email", id=made("email")),
        call("unapprove_email", id=made("email")),
        call("clone_email", id=made("email"), name="Copied e-mail", **inside),
        call("discard_email_draft", id=ids["email_with_draft_id"]),
        call("delete_email", id=made("email")),
        call("get_landing_pages", maxReturn=5),
        call("get_landing_page_by_id", id=ids["landing_page_id"]),
        call("create_file", keep="file", name="note.html", file=page("hello"), folder=ids["folder_id"]),
        call("get_file_by_id", id=made("file")),
        call("get_file_by_name", name="note.html"),
        call("list_files", maxReturn=5),
        call("update_file_content", id=made("file"), file=page("hello again")),
        call("get_segmentations"),
        call("get_segments", id=1001),
        call("create_program", keep="program", name="Made program", type="Event", channel="Tradeshow", **inside),
        call("get_program_by_id", id=made("program")),
        call("get_program_by_name", name="Made program"),
        call("get_program_by_tag_type", tagType="Region", tagValue="EMEA"),
        call("update_program", id=made("program"), description="changed"),
        call("browse_programs", maxReturn=200),
        call("get_programs_yield", maxReturn=200),
        call("clone_program", id=made("program"), name="Copied program", **inside),
        call("delete_program", id=made("program")),
        call("get_channels", maxReturn=5),
        call("get_channel_by_name", name="Tradeshow"),
        call("get_tags", maxReturn=5),
        call("get_tag_by_name", name="Region"),
        call(
            "create_custom_activity_type",
            apiName="seen_c",
            name="Seen",
            triggerName="Sees",
            filterName="Saw",
            primaryAttributeApiName="what",
            primaryAttributeName="What",
        ),
        call("get_custom_activity_types"),
        call("describe_custom_activity_type", apiName="seen_c", draft=True),
        call("approve_custom_activity_type", apiName="seen_c"),
        call("delete_custom_activity_type", apiName="seen_c"),
        call("create_leads_export_job", fields=["id", "email"], filters={"staticListName": "Press"}),
        call("get_leads_export_jobs_list"),
        call("get_activities_export_jobs_list"),
        call("sync_program_member_data", id=program, input=[{"leadId": lead, "webinarUrl": "https://example.com"}]),
        call("import_lead", format="csv", file=page("email\na@example.com\n"), lookupField="email"),
        call("submit_form", formId=701, input=[{"leadFormFields": {"email": "a@example.com"}}]),
        call("describe_opportunity"),
        call("describe_company"),
        call("describe_sales_person"),
        call("describe_named_accounts"),
        call("get_list_of_custom_objects"),
        call("get_landing_page_content", id=ids["landing_page_id"]),
        call("get_landing_page_redirect_rules"),
    ]
)
