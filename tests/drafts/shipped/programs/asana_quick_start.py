import os

import asana
from asana.rest import ApiException

configuration = asana.Configuration()
configuration.access_token = os.environ["ASANA_ACCESS_TOKEN"]
client = asana.ApiClient(configuration)
me = asana.UsersApi(client).get_user("me", {})
workspace = next(asana.WorkspacesApi(client).get_workspaces({}))["gid"]
project = asana.ProjectsApi(client).create_project({"data": {"name": "Bread", "workspace": workspace}}, {})["gid"]
tag = asana.TagsApi(client).create_tag({"data": {"name": "urgent", "workspace": workspace}}, {})["gid"]
tasks = asana.TasksApi(client)
for number in range(25):
    body = {"data": {"name": f"Knead {number}", "projects": [project], "assignee": me["gid"]}}
    task = tasks.create_task(body, {})["gid"]
print(len(list(tasks.get_tasks_for_project(project, {"limit": 10}))), len(list(tasks.get_tasks({"project": project}))))
tasks.add_tag_for_task({"data": {"tag": tag}}, task)
print([each["name"] for each in tasks.get_tasks_for_tag(tag, {})])
asana.StoriesApi(client).create_story_for_task({"data": {"text": "Done soon"}}, task, {})
print([each["text"] for each in asana.StoriesApi(client).get_stories_for_task(task, {})])
tasks.update_task({"data": {"completed": True}}, task, {})
shown = tasks.get_task(task, {})
print(shown["completed"], shown["assignee"]["name"], [each["name"] for each in shown["tags"]])
try:
    tasks.get_task("12", {})
except ApiException as error:
    print(error.status, error.body.decode() if isinstance(error.body, bytes) else error.body)
