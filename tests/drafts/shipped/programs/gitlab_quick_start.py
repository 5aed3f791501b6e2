import os

import gitlab

gl = gitlab.Gitlab(private_token=os.environ["GITLAB_PRIVATE_TOKEN"])
gl.auth()
print(gl.user.username)
made = gl.projects.create({"name": "bread"})
project = gl.projects.get("agent/bread")
project.labels.create({"name": "bug", "color": "#ff0000"})
for number in range(25):
    issue = project.issues.create({"title": f"Issue {number}", "labels": ["bug"], "assignee_ids": [2]})
print(len(project.issues.list(get_all=True)), issue.iid, issue.assignees[0]["username"], issue.labels)
issue.notes.create({"body": "Seen again"})
issue.state_event = "close"
issue.save()
print(issue.state, [each.body for each in issue.notes.list()], len(project.issues.list(state="closed")))
merge = project.mergerequests.create({"source_branch": "x", "target_branch": "main", "title": "Knead"})
merge.merge()
print(merge.state, project.issues.list(search="Issue 24", get_all=False)[0].title)
try:
    merge.merge()
except gitlab.GitlabMRClosedError as error:
    print(error.response_code)
try:
    project.issues.get(99)
except gitlab.GitlabGetError as error:
    print(error.response_code, error.error_message)
