dataset_name = 'own'
ref_videos = [{'content_id': 0, 'content_name': 'A', 'path': 'a.png'}]
dis_videos = [
    {'content_id': 0, 'asset_id': 0, 'os': {('Ada', 1): 1, ('Bob', 1): 0}, 'path': 'a_0.png'},
    {'content_id': 0, 'asset_id': 1, 'os': {('Ada', 2): 1, ('Bob', 2): 1}, 'path': 'a_1.png'},
    {'content_id': 0, 'asset_id': 2, 'os': {('Ada', 0): 1, ('Bob', 0): 0}, 'path': 'a_2.png'},
]
