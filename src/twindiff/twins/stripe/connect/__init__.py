"""Connected accounts: transfers, application fees and destination charges."""
