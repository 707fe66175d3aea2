dataset_name = 'own'
yuv_fmt = 'yuv420p'
ref_videos = [{'content_id': 0, 'content_name': 'A', 'path': 'a.yuv'}]
dis_videos = [
    {'content_id': 0, 'asset_id': 0, 'os': [3, 3, 3, 3], 'path': 'a_0.yuv'},
    {'content_id': 0, 'asset_id': 1, 'os': [1, 2, 2, 1], 'path': 'a_1.yuv'},
    {'content_id': 0, 'asset_id': 2, 'os': [1, 2, 2, 2], 'path': 'a_2.yuv'},
    {'content_id': 0, 'asset_id': 3, 'os': [2, 3, 2, 3], 'path': 'a_3.yuv'},
    {'content_id': 0, 'asset_id': 4, 'os': [1, 2, 1, 1], 'path': 'a_4.yuv'},
    {'content_id': 0, 'asset_id': 5, 'os': [4, 5, 5, 5], 'path': 'a_5.yuv'},
]
